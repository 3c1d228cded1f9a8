#pragma once

#include <optional>
#include <string>
#include <vector>

#include "generator/mlir/tensor_core_point.h"
#include "spec/ffn_spec.h"

namespace gatefold {

/// A schedule of one kernel of a CUDA target: Halide's, by the kernel's own point, or that of the
/// tensor cores.
struct DevicePoint {
  KernelSpec kernel;
  std::optional<TensorCorePoint> tensor_core;

  std::string text() const { return tensor_core ? tensor_core->text() : kernel.point.text(); }
  const char* generator() const { return tensor_core ? "tensor cores" : "threads"; }
};

/// All legal ones of a kernel whose own point does not matter, in a fixed order: Halide's first.
std::vector<DevicePoint> legal_device_points(const KernelSpec& place);

/// An Error if it is no point of either kind, whatever the target.
void check_point_text(const std::string& text);

/// Points that differ in nothing but how a length is parted over the grid have the same code, but
/// for a constant, and so the same registers.
std::string code_class(const DevicePoint& point);

}  // namespace gatefold
