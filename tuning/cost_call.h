#pragma once

#include "spec/ffn_spec.h"
#include "tuning/cost_memory.h"

namespace gatefold {

/// What the terms of the cost model share: one call of one kernel.
struct Call {
  KernelSpec kernel;  ///< its sizes are all given
  Machine machine;
  double rows;
  double lanes;

  const SchedulePoint& point() const { return kernel.point; }
  const CostConstants& constants() const { return machine.constants; }
  double d_model() const { return static_cast<double>(kernel.ffn.shape.d_model); }
  double d_ff() const { return static_cast<double>(kernel.ffn.shape.d_ff); }
  double hidden_element() const { return info(hidden_dtype(kernel.ffn, kernel.target)).bytes; }

  /// Rows that are worked on together, those of one row block; and how many blocks there are.
  double rows_of_pass() const;
  double passes() const;
};

/// A size that is left to the call counts as that of a 7B model.
Call make_call(const KernelSpec& kernel, const Machine& machine);

/// Gate and up as one, or one of the two (unfused), or up of a dense block.
Product first_product(const Call& call);
Product down_product(const Call& call);

}  // namespace gatefold
