#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "spec/ffn_spec.h"

namespace gatefold {

/// As emit_kernel().
using Emit =
    std::function<void(const KernelSpec& kernel, const std::string& symbol,
                       const std::filesystem::path& object, const std::filesystem::path& assembly)>;

/// A flag of one emitter alone, empty unless given.
struct ExtraFlag {
  const char* name;
  std::string* value;
  const char* help;
};

/// The main function of an emitter, with the flags that build_library() gives one. Returns the exit
/// status; errors are told on stderr.
int emit_command(int argc, char** argv, const Emit& emit, const std::vector<ExtraFlag>& extra = {});

}  // namespace gatefold
