#pragma once

#include "spec/ffn_spec.h"
#include "spec/machine.h"
#include "tuning/cost_constants.h"
#include "tuning/roof.h"

namespace gatefold {

/// Milliseconds of one call on cold weights by an analytic model: what a register tile computes,
/// what is fetched from where, what of both overlaps. It is made to order the points of one place
/// (block, target, rows, threads); docs/cost_model.md. From nominal figures alone, so equal
/// arguments give equal results on every machine. A size that is left to the call counts as that of
/// a 7B model. The kernel must be legal.
double predicted_ms(const KernelSpec& kernel, const CpuProfile& cpu, int threads);
double predicted_ms(const KernelSpec& kernel, const CpuProfile& cpu, int threads,
                    const CostConstants& constants);

/// The least time that this machine can take: the roofline of its measured roof, with the bytes of
/// the kernel's packing.
double lower_bound_ms(const KernelSpec& kernel, const Roof& roof);

/// Whether there is too little left to win for a search under a time budget to go on.
bool near_bound(double best_ms, double bound_ms);

}  // namespace gatefold
