#pragma once

#include <cstdint>
#include <vector>

#include "runtime/reference/reference.h"
#include "runtime/reference/tolerance.h"

namespace gatefold {

/// Deviations of computed outputs from the reference. NaN where NaN is due and the due infinity are
/// no deviation; a value that is not finite where another is due makes all measures infinite.
struct Comparison {
  double max_abs = 0;
  double rel_l2 = 0;  ///< ||y - r|| / ||r||, 0 where both are 0
  double scaled = 0;  ///< ||y - r|| / ||scale||, 0 where both are 0
  double worst = 0;   ///< largest |y - r| of one output over its own bound
  int64_t worst_index = -1;
};

/// y: the outputs of the reference's sample in its order, widened to f32.
Comparison compare(const std::vector<float>& y, const ReferenceResult& reference,
                   const Tolerance& tolerance);

/// All measures that apply at these sizes lie within the tolerance. The bound of each output is
/// there because a norm over a million outputs does not see one of them off by 1/8.
bool acceptable(const Comparison& comparison, const Tolerance& tolerance, int64_t d_model,
                int64_t d_ff);

/// The outputs of a sample out of a dense [rows, d_model] result, for compare().
std::vector<float> sampled(const std::vector<float>& y, int64_t d_model,
                           const ReferenceSample& sample);

}  // namespace gatefold
