#include "tuning/toolchain.h"

#include <algorithm>

#include "generator/library.h"
#include "generator/process.h"
#include "tuning/worker_client.h"

namespace gatefold {
namespace {

/// Finding it is what fails where it is missing.
std::string emitter() {
  try {
    return default_emitter().string();
  } catch (const Error&) {
    return "";
  }
}

}  // namespace

std::vector<Tool> find_tools() {
  const std::string binutils = "apt-get install binutils";
  const std::string rebuild = "make build";
  return {
      {"gatefold-emit", "generate, tune: compiles one kernel", emitter(), rebuild},
      {"gatefold-worker", "tune: measures candidates", find_program(default_worker()), rebuild},
      {c_compiler(), "generate: compiles the table, links libraries", find_program(c_compiler()),
       "apt-get install gcc"},
      {"ld", "generate: joins a library's objects", find_program("ld"), binutils},
      {"objcopy", "generate: hides a library's inner symbols", find_program("objcopy"), binutils},
      {"ar", "generate: static libraries", find_program("ar"), binutils},
      {"cmake", "applications: find_package(gatefold)", find_program("cmake"),
       "apt-get install cmake"},
  };
}

void require_tools(const std::vector<std::string>& names) {
  for (const Tool& tool : find_tools()) {
    if (!tool.path.empty() || std::count(names.begin(), names.end(), tool.name) == 0) continue;
    fail(tool.name + ": not found (" + tool.purpose + "); get it with: " + tool.get);
  }
}

}  // namespace gatefold
