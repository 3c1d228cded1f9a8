#pragma once

#include <memory>
#include <string>
#include <vector>

#include "accuracy/ffn_data.h"
#include "generator/ffn_algorithm.h"

namespace gatefold::test {

/// Why OpenCL kernels cannot run here; empty if they can.
std::string no_opencl();

/// A kernel of the opencl target with the default packing, and point if none is given.
KernelSpec opencl_kernel(const FfnSpec& ffn, int64_t rows, const char* point = nullptr);

/// Compiled in this process for OpenCL, and run on data of the host.
class DeviceKernel {
 public:
  explicit DeviceKernel(const KernelSpec& kernel);

  /// y of dense rows of x, values that the activations' type can express. The buffers that the
  /// kernel is given have wider rows: of x with NaN beside them, of y with values that must stay.
  std::vector<float> run(const FfnData& data, const std::vector<float>& x,
                         const std::vector<float>& residual = {});

 private:
  void set_weights(const FfnData& data);

  KernelSpec kernel_;
  FfnStages stages_;
  Halide::Pipeline pipeline_;
  Halide::Target target_;
  std::vector<std::vector<uint8_t>> packed_;
  std::vector<std::vector<float>> biases_;
};

}  // namespace gatefold::test
