#pragma once

#include "tuning/code_check.h"
#include "tuning/winners.h"

namespace gatefold {

/// The points that the cost model thinks fastest on one thread, under the packing that is fastest
/// over all rows: for CPUs that are not at hand, and so cannot be tuned for. Their origin is
/// "model". With a check of the emitted code a point that it refuses gives way to the next best;
/// the notes say which.
Schedule model_schedule(const FfnSpec& ffn, Target target, const std::vector<int64_t>& rows,
                        const CpuProfile& cpu, const CodeCheck& check = {});

/// Such schedules as winners of `cpu`, a profile's name or a CPU's as records have it: one set for
/// each target. Their times are not known.
std::vector<WinnerSet> model_winners(const std::vector<LibraryKernel>& kernels,
                                     const std::string& cpu);

}  // namespace gatefold
