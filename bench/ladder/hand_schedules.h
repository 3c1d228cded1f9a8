#pragma once

#include <string>

#include "generator/emit.h"

namespace gatefold {

/// The schedule that a step of the ladder names: "naive" and "vectors" are written by hand here,
/// "point" is the product's own, "adams2019" that of Halide's autoscheduler for `threads` threads.
/// Throws Error on any other.
Scheduler ladder_schedule(const std::string& name, int threads);

}  // namespace gatefold
