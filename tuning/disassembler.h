#pragma once

#include <atomic>
#include <filesystem>
#include <string>

#include "spec/target.h"

namespace gatefold {

/// What `objdump -d` says of a library, labelled as assembly_check.h wants it; empty where the
/// architecture's objdump (binutils, which also links the library) does not answer. Writes one file
/// into `folder`.
std::string disassembly_of(const std::filesystem::path& library, Arch arch,
                           const std::filesystem::path& folder, const std::atomic<bool>* stop);

}  // namespace gatefold
