#pragma once

#include <Halide.h>

#include <filesystem>

namespace gatefold {

/// Compiles a module for x86 with prefetches that fill the L2 cache. Halide 21 writes prefetchnta
/// whatever is asked, which passes that cache by; so its assembly is changed, and the C compiler
/// ($CC, else cc) assembles it. `assembly` may be empty.
void compile_with_l2_prefetch(const Halide::Module& module, const std::filesystem::path& object,
                              const std::filesystem::path& assembly);

}  // namespace gatefold
