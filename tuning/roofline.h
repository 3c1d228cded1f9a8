#pragma once

#include <cstdint>
#include <optional>

#include "spec/ffn_spec.h"
#include "tuning/roof.h"

namespace gatefold {

/// The least time one call can take on a measured machine, and which side bounds it.
struct Roofline {
  double ms = 0;
  const char* bound = "memory";  ///< "compute" or "memory"
};

/// flops / peak of the instruction that the dtype uses, or bytes / read bandwidth, whichever is
/// more. Bytes: packed weights, x, a residual and y. Without `packed_weight_bytes` the weights
/// count without padding, which can only lower the bound.
Roofline roofline(const FfnSpec& ffn, int64_t rows, const Roof& roof,
                  int64_t packed_weight_bytes = 0);

double roofline_ms(const FfnSpec& ffn, int64_t rows, const Roof& roof);

/// Bytes of the weights in one packed layout, padding included.
int64_t packed_weight_bytes(const FfnSpec& ffn, const Packing& packing);

inline constexpr double kHighestEfficiency = 1.05;

/// roofline / median. Nothing without a roof or a time, and nothing above 1.05: then the probe or
/// the kernel is wrong, and a figure would be a false claim.
std::optional<double> efficiency(const Roofline& bound, double median_ms);

}  // namespace gatefold
