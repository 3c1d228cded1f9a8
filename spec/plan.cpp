#include "spec/plan.h"

#include <cmath>
#include <string>

#include "spec/error.h"
#include "spec/names.h"
#include "spec/shape.h"

namespace gatefold {
namespace {

constexpr int64_t kMatchedWithin = 50;  ///< one part in 50: 2 %
constexpr double kMaxDenseRatio = 1024;

void check_size(const char* flag, int64_t value) {
  if (value >= 1 && value <= kMaxDimension) return;
  fail_usage(std::string(flag) + ": " + std::to_string(value) + ", wanted a number from 1 to " +
             std::to_string(kMaxDimension));
}

/// floor, forgiving the last bit of a ratio such as 3.3 that has no exact binary form.
int64_t floor_width(double width) { return static_cast<int64_t>(std::floor(width + 1e-6)); }

int64_t round_up(int64_t value, int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

void check_derived(const char* what, int64_t width, const PlanRequest& r) {
  if (width >= 1 && width <= kMaxDimension) return;
  fail_usage("--d-model " + std::to_string(r.d_model) + ", --dense-ratio " +
             shortest(static_cast<float>(r.dense_ratio)) + ", --multiple-of " +
             std::to_string(r.multiple_of) + ": give a " + what + " of " + std::to_string(width) +
             ", wanted 1 to " + std::to_string(kMaxDimension));
}

int64_t planned_width(const PlanRequest& r, int64_t dense_d_ff) {
  int64_t width = dense_d_ff;
  if (r.d_ff) {
    width = *r.d_ff;
  } else if (r.variant.gated) {
    width = floor_width(2.0 * r.dense_ratio * static_cast<double>(r.d_model) / 3.0);
  }
  width = round_up(width, r.multiple_of);
  check_derived("d_ff", width, r);
  return width;
}

void check_request(const PlanRequest& r) {
  check_size("--d-model", r.d_model);
  if (r.d_ff) check_size("--d-ff", *r.d_ff);
  check_size("--multiple-of", r.multiple_of);
  if (!(r.dense_ratio > 0 && r.dense_ratio <= kMaxDenseRatio)) {
    fail_usage("--dense-ratio: " + shortest(static_cast<float>(r.dense_ratio)) +
               ", wanted a number above 0 and up to 1024");
  }
}

}  // namespace

Plan make_plan(const PlanRequest& r) {
  check_request(r);
  Plan plan;
  plan.d_model = r.d_model;
  plan.matrices = r.variant.matrices();
  plan.dense_d_ff = floor_width(r.dense_ratio * static_cast<double>(r.d_model));
  check_derived("dense d_ff", plan.dense_d_ff, r);
  plan.d_ff = planned_width(r, plan.dense_d_ff);
  plan.parameters = plan.matrices * plan.d_model * plan.d_ff;
  plan.flops_per_row = 2 * plan.parameters;
  plan.weight_bytes = plan.parameters * info(r.dtype).bytes;
  plan.dense_parameters = 2 * plan.d_model * plan.dense_d_ff;
  plan.parameter_ratio =
      static_cast<double>(plan.parameters) / static_cast<double>(plan.dense_parameters);
  // In whole numbers: 1.02 - 1 is above 0.02 in floating point.
  plan.matched =
      std::abs(plan.parameters - plan.dense_parameters) * kMatchedWithin <= plan.dense_parameters;
  return plan;
}

}  // namespace gatefold
