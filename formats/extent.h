#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace gatefold {

/// No array of a known program has more dimensions; a longer list is a broken file.
inline constexpr size_t kMaxRank = 64;

/// The number of elements of an array. Nothing if a size is negative or the product of the non-zero
/// sizes is past 2^63 - 1: so strides of an accepted shape do not overflow either.
std::optional<int64_t> element_count(std::span<const int64_t> shape);

/// "[2, 3]"
std::string shape_text(std::span<const int64_t> shape);

}  // namespace gatefold
