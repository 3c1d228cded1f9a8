#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "spec/ffn_spec.h"

namespace gatefold::test {

/// A kernel with the default packing and point.
KernelSpec default_kernel(const FfnSpec& ffn, Target target, const RowBucket& rows);

/// The whole assembly of a kernel, as LLVM writes it.
std::string assembly_of(const KernelSpec& kernel);

/// What a kernel's object file calls and does not define.
std::set<std::string> undefined_symbols(const KernelSpec& kernel);

std::string content_of(const std::filesystem::path& file);

/// What the assembler says when it may use only what `target` demands of a CPU (the features that
/// runtime/cpu_features.cpp looks for); empty if it accepts everything.
std::string beyond_target(const std::string& assembly, Target target);

}  // namespace gatefold::test
