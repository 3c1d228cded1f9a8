#include "generator/link_tools.h"

#include "generator/process.h"
#include "spec/error.h"

namespace gatefold {
namespace {

void find(std::string& tool, const std::string& package, Arch arch) {
  const std::string path = find_program(tool);
  if (path.empty()) {
    fail("'" + tool + "' is not on the PATH; libraries for " + info(arch).name +
         " are linked with it (Debian: apt-get install " + package + ")");
  }
  tool = path;
}

}  // namespace

LinkTools link_tools(Arch arch) {
  if (arch == host_arch()) return {c_compiler(), "ld", "objcopy", "ar", "gcc", "binutils"};
  const std::string triplet = info(arch).triplet;
  // Debian writes the architecture of a package's name with dashes only.
  std::string suffix = triplet;
  for (char& c : suffix) c = c == '_' ? '-' : c;
  return {triplet + "-gcc", triplet + "-ld", triplet + "-objcopy",
          triplet + "-ar",  "gcc-" + suffix, "binutils-" + suffix};
}

LinkTools find_link_tools(Arch arch) {
  LinkTools tools = link_tools(arch);
  find(tools.compiler, tools.compiler_package, arch);
  for (std::string* tool : {&tools.ld, &tools.objcopy, &tools.ar}) {
    find(*tool, tools.binutils_package, arch);
  }
  return tools;
}

}  // namespace gatefold
