#pragma once

#include <bit>
#include <cstddef>
#include <cstring>
#include <span>

namespace gatefold {

static_assert(std::endian::native == std::endian::little,
              "weight files are little-endian and are read without swapping");

/// The value at `offset`, which the caller has checked to lie inside `bytes`. Files give no
/// alignment, hence the copy.
template <typename T>
T load_little_endian(std::span<const std::byte> bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

}  // namespace gatefold
