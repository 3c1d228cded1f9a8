#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/formats/files.h"
#include "tests/ptx/interpreter.h"
#include "tests/support/command.h"

namespace gatefold::ptx {

/// On the PATH, under CUDA_HOME, or where the toolkit is installed; empty if it isn't there.
inline std::string nvcc() {
  const std::string on_path = find_program("nvcc");
  if (!on_path.empty()) return on_path;
  const char* home = std::getenv("CUDA_HOME");
  const auto path = std::filesystem::path(home ? home : "/usr/local/cuda") / "bin" / "nvcc";
  return std::filesystem::exists(path) ? path.string() : "";
}

/// What nvcc makes of a source in CUDA C++ with these definitions.
inline Module compiled_by_nvcc(const char* source, const std::vector<std::string>& definitions) {
  const test::TempFolder folder;
  std::vector<std::string> command = {nvcc(), "-ptx", "-arch=sm_80"};
  for (const std::string& definition : definitions) command.push_back("-D" + definition);
  const std::string ptx = folder / "kernels.ptx";
  command.insert(command.end(), {"-o", ptx, folder.file("kernels.cu", source)});
  const ProcessResult result = test::result_of(command, 240);
  if (!result.ok()) throw std::runtime_error("nvcc: " + result.errors);
  return parse(test::content(ptx));
}

}  // namespace gatefold::ptx
