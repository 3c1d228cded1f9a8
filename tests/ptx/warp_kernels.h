#pragma once

#include <string>
#include <vector>

namespace gatefold::ptx {

/// What threads do to each other and to memory. %r1 is the thread, %r2 the address of `tile` (1024
/// bytes of shared memory), %r3 that of the thread's 16 bytes in it; %d1 `in` (1024 bytes), %d2
/// `out` (256 bytes, not written), %d3 the thread's 16 bytes of `in`; %p1 is true of thread 0, %p2
/// of the first 16, %p3 of the first 32; nothing is in %r4 …, %d4 …, %p4 …, %h1 ….
struct WarpCase {
  std::string name;
  int threads;
  std::string code;
  std::string fault;  ///< part of its reason; empty: all is well
};

const std::vector<WarpCase>& access_cases();
const std::vector<WarpCase>& convergence_cases();
const std::vector<WarpCase>& async_cases();
std::string kernel_of(const WarpCase& single, const std::string& name);

/// `in` (steps x 1024 bytes), `out` (64 words), steps; 64 threads, 2048 bytes of dynamic shared
/// memory. Each thread adds up the first words of its mirror image's 16 bytes, two stages deep.
/// The arguments are the lines that the pipeline depends on.
std::string pipeline_kernel(const std::string& wait = "cp.async.wait_group 1;",
                            const std::string& barrier = "bar.sync 0;",
                            const std::string& second_barrier = "bar.sync 0;");

/// d = a b + c by one warp: a is 16 x 16 and b 16 x 8 of `type` (f16, bf16), c and d are 16 x 8 of
/// f32, all row-major; `load_b` is the ldmatrix of b.
std::string product_kernel(
    const std::string& type,
    const std::string& load_b = "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16");

/// The same with sums in f16, or 16 x 8 x 8 with sums in f32, with fragments straight from memory:
/// `a`, `b`, `c`, `d` hold them lane by lane.
std::string fragment_kernel(const std::string& shape_and_types, int a, int b, int c);

}  // namespace gatefold::ptx
