#pragma once

#include <cstdint>
#include <optional>

#include "spec/dtype.h"
#include "spec/variant.h"

namespace gatefold {

/// What a block of a given width costs, next to the dense block it is measured against.
struct PlanRequest {
  Variant variant;
  int64_t d_model = 0;
  std::optional<int64_t> d_ff = std::nullopt;  ///< none: derived from the dense ratio
  double dense_ratio = 4;                      ///< dense baseline: d_ff = dense_ratio * d_model
  int64_t multiple_of = 1;                     ///< the width is rounded up to it
  DType dtype = DType::f32;
};

struct Plan {
  int64_t d_model = 0;
  int64_t d_ff = 0;
  int matrices = 0;
  int64_t parameters = 0;     ///< weights of one layer's matrices, without biases
  int64_t flops_per_row = 0;  ///< 2 for each weight
  int64_t weight_bytes = 0;
  int64_t dense_d_ff = 0;
  int64_t dense_parameters = 0;
  double parameter_ratio = 0;  ///< parameters / dense_parameters
  bool matched = false;        ///< within 2 %: a comparison at equal budget
};

/// A gated block has three matrices, so at equal weights it is two thirds as wide as a dense one:
/// d_ff = floor(2/3 ratio d_model), then up to the multiple. Usage errors name the flag.
Plan make_plan(const PlanRequest& request);

}  // namespace gatefold
