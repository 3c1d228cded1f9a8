#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/cuda_runtime/fake_cuda.h"
#include "tests/runtime/block.h"

namespace gatefold::test {

/// The fake driver that the runtime finds, fetched by its name as the runtime does.
FakeCuda& fake_cuda();

/// How the kernels for CUDA launch, to be changed by a test.
struct LaunchOptions {
  uint32_t grid_y = 1;
  uint32_t threads = 128;
  uint32_t shared_bytes = 0;
  const char* entry = "hidden_layer";
  int result = 0;                         ///< of the kernel's call, if no hook failed
  bool keep_hidden = false;               ///< the workspace is not given back
  std::function<void()> between = [] {};  ///< done between the two launches
};

/// A library with kernels for the CPU and for CUDA, with weights and a reference. The latter launch
/// two entries, whose kernels in C++ read packed weights, x and biases out of device memory. One
/// exists at a time.
class DeviceBlock {
 public:
  explicit DeviceBlock(FakeOptions options = {}, std::vector<const char*> targets = {"cuda-sm80"});
  ~DeviceBlock();
  DeviceBlock(const DeviceBlock&) = delete;
  DeviceBlock& operator=(const DeviceBlock&) = delete;

  Ffn make(const char* isa = "cuda") const;
  /// The same without exceptions; NULL on failure.
  gf_status create(gf_ffn** out, const char* isa = "cuda", int device = 0) const;
  Comparison run_and_compare(Ffn& ffn, int64_t rows) const {
    return block.run_and_compare(ffn, rows);
  }

  static int call(void** arguments);

  Block block;
  gf_module module = {};
  std::string ptx;
  std::vector<gf_kernel> kernels;
  std::vector<gf_weight_stream> streams;
  std::unique_ptr<Library> library;
  LaunchOptions launch;

 private:
  void add_kernels(const char* target);
};

}  // namespace gatefold::test
