#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spec/occupancy.h"
#include "tuning/device_point.h"

namespace gatefold {

/// What one block of threads does, in the units of what carries it out.
struct BlockWork {
  double read_bytes = 0;  ///< from L2 or memory, each once
  double written_bytes = 0;
  double mma = 0;      ///< products m16n8k16 of all warps
  double fma = 0;      ///< f32 multiply-adds, as instructions of a warp
  double issued = 0;   ///< all instructions of warps but mma
  double lines = 0;    ///< of 128 bytes through L1 or shared memory
  int mma_chains = 1;  ///< products of one warp that do not wait for each other
  /// Of one thread, one after the other, and as many of them as are under way at once: loads of 16
  /// bytes, or stages of asynchronous copies.
  double loads = 0, loads_ahead = 1;
};

/// One kernel that a call launches, as the model sees it.
struct GpuLaunch {
  std::string name;   ///< for people: "gate/up"
  std::string entry;  ///< part of the name that its PTX entry has
  int64_t blocks = 1;
  BlockResources block = {};  ///< with estimated registers, until an assembler says more
  BlockWork work = {};
  double memory_bytes = 0;  ///< of all blocks: what comes from memory or goes there, once
  /// What L2 may not hold, and how often it is gone through at worst: once for each group of
  /// columns, since blocks that run at one time are of neighbouring rows.
  double input_bytes = 0;
  int64_t column_groups = 1;
  /// Registers that loads cannot have, and what each takes; 0: copies take none.
  int kept_registers = 0, load_registers = 0;
};

/// The kernels of one call with the rows that name the bucket, in their order; sizes are fixed.
/// What one kernel leaves for the next stays in L2 if it is small enough for `l2_bytes`.
std::vector<GpuLaunch> launches_of(const DevicePoint& point, int64_t l2_bytes);

/// Bytes that no schedule can do without: weights, x and y (and the residual), each once.
double least_memory_bytes(const KernelSpec& kernel);

/// Operations of the products, without padding.
double least_flops(const KernelSpec& kernel);

}  // namespace gatefold
