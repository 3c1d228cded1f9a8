#pragma once

#include <cstdint>
#include <string>

namespace gatefold {

/// Threads of one warp of every CUDA device.
inline constexpr int kWarpThreads = 32;

/// What one multiprocessor of a compute capability holds at once.
struct MultiprocessorLimits {
  int capability;  ///< 80 for 8.0
  int warps;
  int blocks;
  int registers;                  ///< of 32 bits; a block may have all of them
  int registers_of_thread;        ///< more are spilled
  int64_t shared_bytes;           ///< for all blocks
  int64_t shared_bytes_of_block;  ///< what one block may ask for
  int f32_per_clock;              ///< multiply-adds of f32
};

/// Those of the highest capability known that is not above `capability`; of the lowest otherwise.
const MultiprocessorLimits& multiprocessor_limits(int capability);

/// What one block of threads takes.
struct BlockResources {
  int threads = 0;
  int registers = 0;         ///< of one thread
  int64_t shared_bytes = 0;  ///< static and dynamic
};

/// How many blocks run on one multiprocessor at a time.
struct Occupancy {
  int blocks = 0;  ///< 0: not one fits, `limit` says why
  int warps = 0;
  std::string limit;  ///< what keeps one more away: "warps", "registers", …, or why none fits
};

/// By the rules of NVIDIA's occupancy calculator: registers are dealt out to warps by 256, each
/// warp belongs to one of four parts of the multiprocessor, shared memory is dealt out by 128
/// bytes, and the system keeps 1 KiB of it for each block.
Occupancy occupancy(const BlockResources& block, int capability);

}  // namespace gatefold
