#include "tuning/toolchain.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "generator/library.h"
#include "tuning/worker_client.h"

namespace gatefold {
namespace {

std::string executable(const std::filesystem::path& path) {
  std::error_code error;
  const bool found =
      std::filesystem::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
  return found ? path.string() : "";
}

/// Finding it is what fails where it is missing.
std::string emitter() {
  try {
    return executable(default_emitter());
  } catch (const Error&) {
    return "";
  }
}

std::string in_path(const std::string& name) {
  if (name.find('/') != std::string::npos) return executable(name);
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string found = folder.empty() ? "" : executable(folder + "/" + name);
    if (!found.empty()) return found;
  }
  return "";
}

std::string compiler() {
  const char* cc = std::getenv("CC");
  return in_path(cc && *cc ? cc : "cc");
}

}  // namespace

std::vector<Tool> find_tools() {
  const std::string binutils = "apt-get install binutils";
  const std::string rebuild = "make build";
  return {
      {"gatefold-emit", "generate, tune: compiles one kernel", emitter(), rebuild},
      {"gatefold-worker", "tune: measures candidates", executable(default_worker()), rebuild},
      {"cc", "generate: compiles the table, links libraries", compiler(), "apt-get install gcc"},
      {"ld", "generate: joins a library's objects", in_path("ld"), binutils},
      {"objcopy", "generate: hides a library's inner symbols", in_path("objcopy"), binutils},
      {"ar", "generate: static libraries", in_path("ar"), binutils},
      {"cmake", "applications: find_package(gatefold)", in_path("cmake"), "apt-get install cmake"},
  };
}

void require_tools(const std::vector<std::string>& names) {
  for (const Tool& tool : find_tools()) {
    if (!tool.path.empty() || std::count(names.begin(), names.end(), tool.name) == 0) continue;
    fail(tool.name + ": not found (" + tool.purpose + "); get it with: " + tool.get);
  }
}

}  // namespace gatefold
