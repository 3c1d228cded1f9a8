#pragma once

#include <HalideRuntime.h>
#include <gatefold/kernel_table.h>

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace gatefold::test {

struct FakeLaunch {
  const gf_module* module;
  std::string entry;
  uint32_t grid[3], block[3], shared_bytes;
};

/// The hooks of a device that computes nothing: it notes what it is asked for, and can fail.
class FakeDevice {
 public:
  FakeDevice();

  /// Calls a kernel with buffers of this device.
  int call(const gf_kernel& kernel, int64_t d_model, int64_t d_ff, int64_t rows, int biases,
           bool residual);

  std::vector<FakeLaunch> launches;
  std::map<uint64_t, size_t> memory;  ///< that is not released
  int allocations = 0;
  std::string error;
  std::string complaint;  ///< of a launch that no driver would take
  int launch_that_fails = -1, allocation_that_fails = -1;
  bool present = true;  ///< else the runtime has no device

 private:
  static FakeDevice& of(void* context);
  static int launch(void* context, const gf_module* module, const char* entry,
                    const uint32_t grid[3], const uint32_t block[3], uint32_t shared_bytes,
                    void** params);
  static int allocate(void* context, size_t bytes, uint64_t* address);
  static void release(void* context, uint64_t address);
  void check(const FakeLaunch& launch, void** params);
  halide_buffer_t* buffer(halide_type_t type, std::vector<halide_dimension_t> shape);
  uint64_t new_address(size_t bytes);

  gf_context head_;  ///< what a context begins with
  FakeDevice* self_ = this;
  gf_device_hooks device_hooks_;
  gf_hooks hooks_;
  uint64_t next_ = uint64_t{1} << 40;
  std::set<uint64_t> addresses_;  ///< all that were ever given out
  std::deque<halide_buffer_t> buffers_;
  std::deque<std::vector<halide_dimension_t>> shapes_;
};

/// The text of one kernel's parameters in PTX, in their order; empty if there is no such kernel.
std::vector<std::string> parameters_of(const std::string& ptx, const std::string& entry);

}  // namespace gatefold::test
