#pragma once

#include <string_view>

#include "gatefold/gatefold.h"
#include "runtime/cuda/driver.h"

namespace gatefold::cuda {

/// The lowest target for CUDA.
inline constexpr int kLowestCapability = 80;

/// What launches and messages need to know of a device.
struct DeviceInfo {
  int ordinal = -1;
  DeviceHandle handle = 0;
  char name[96] = "";
  int capability = 0;  ///< 90 is 9.0
  int max_threads = 0;
  int max_grid[3] = {};
  int max_shared = 0;         ///< of a block, without asking for more
  int max_shared_opt_in = 0;  ///< of a block
  size_t memory_bytes = 0;
};

/// GF_UNAVAILABLE, and why, if there is no driver or no such device.
gf_status find_device(int ordinal, DeviceInfo* info);

/// GF_UNAVAILABLE with both capabilities if the device has less; `what` begins the message.
gf_status check_capability(const DeviceInfo& device, int wanted, const char* what);

/// 90 of "cuda-sm90"; 0: no target for CUDA.
int capability_of(std::string_view target);

/// Whether device 0 runs a target for CUDA.
bool target_runs(std::string_view target);

/// For people: the first device, or why CUDA is of no use here.
struct Availability {
  bool usable = false;
  char reason[512] = "";   ///< if it is not
  int driver_version = 0;  ///< 12040 is CUDA 12.4; 0: none
  int devices = 0;
  DeviceInfo device;  ///< ordinal -1: none
};
Availability availability();

}  // namespace gatefold::cuda
