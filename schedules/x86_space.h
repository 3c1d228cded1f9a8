#pragma once

#include <optional>
#include <string>

#include "spec/ffn_spec.h"

/// What the files of the x86 space share: the reasons that make a point illegal, one per axis, and
/// what they know of registers and packed lines.
namespace gatefold::x86 {

using Reason = std::optional<std::string>;

inline constexpr int kMostTilesPerBlock = 4096;

/// Vectors of weights that a tile reads side by side.
int vectors(const KernelSpec& k);

/// Rows of the largest tile: what it holds must fit the registers, or the compiler spills in the
/// hot loop (measured at a third of the speed). 0: not even one row fits.
int most_rows(const KernelSpec& k);

/// bf16 stands in pairs: what the dot instruction multiplies, and two that one word is widened to.
int pair_of(DType dtype);

/// Steps of k in one 64-byte line.
int k_step_of(DType dtype, int panel);

/// The down projection reads as many hidden columns as its k is padded to; gate and up must have
/// panels for all of them.
bool panels_cover_hidden(const FfnSpec& ffn, const Packing& p);

Reason streams_reason(const KernelSpec& k);
Reason rows_reason(const KernelSpec& k);
Reason k_block_reason(const KernelSpec& k);
Reason unroll_reason(const KernelSpec& k);
Reason blocking_reason(const KernelSpec& k);
Reason slices_reason(const KernelSpec& k);

}  // namespace gatefold::x86
