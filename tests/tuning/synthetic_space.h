#pragma once

#include <cstdint>

#include "tuning/recorded_space.h"

namespace gatefold::test {

/// A space that nobody measured: times from a formula with what makes real spaces hard. Tile and
/// streams interact, long k-blocks fall off the cache, prefetch helps some and hurts others, tall
/// tiles pad the rows, the loops of some tiles turned out better than those of others, a few points
/// fail, and every point is off by about 2 %.
RecordedSpace synthetic_space(int64_t rows, Shape shape = {512, 1376},
                              const char* variant = "swiglu", Target target = Target::x86_avx2);

/// What the formula says before chance has its part: as good as a cost model can be.
double synthetic_ms(const KernelSpec& kernel);

/// A number of 0 and more but less than 1 that looks random, the same for the same text and seed.
double noise_of(const std::string& text, uint64_t seed);

}  // namespace gatefold::test
