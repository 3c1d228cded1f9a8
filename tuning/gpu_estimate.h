#pragma once

#include <optional>
#include <string>
#include <vector>

#include "spec/gpu_profile.h"
#include "tuning/gpu_launch.h"
#include "tuning/gpu_resources.h"

namespace gatefold {

/// One launch on one GPU, as the model has it.
struct LaunchEstimate {
  std::string name;
  BlockResources block;
  Occupancy occupancy;
  int64_t blocks = 0;
  double waves = 0;            ///< how often the device is filled with blocks
  double bytes_in_flight = 0;  ///< of one multiprocessor, while it is full
  double ms = 0;
  /// What takes longest: "memory", "latency", "l2", "instructions", "f32", "lines" (of L1 and
  /// shared memory), "tensor cores" or "launch".
  std::string bound = {};
};

/// A call on one GPU: nothing here was measured.
struct GpuEstimate {
  double ms = 0;       ///< of all launches, one after the other
  double roof_ms = 0;  ///< weights, x and y at the peak bandwidth, or the products at the peak rate
  std::string registers = kEstimatedRegisters;  ///< who says how many: "estimate" or "ptxas"
  std::vector<LaunchEstimate> launches;
  std::optional<std::string> refused;  ///< why it cannot run there, or should not

  double share_of_roof() const { return roof_ms / ms; }
};

/// What no kernel of this description can be faster than, by the data sheet alone.
double gpu_roof_ms(const KernelSpec& kernel, const GpuProfile& gpu);

/// With what an assembler says of its entries, if anything: registers, and spills that refuse it.
GpuEstimate gpu_estimate(const DevicePoint& point, const GpuProfile& gpu,
                         const std::vector<EntryResources>& entries = {});

}  // namespace gatefold
