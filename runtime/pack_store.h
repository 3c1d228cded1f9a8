#pragma once

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>

// The transposition of pack_loops.h, whatever the elements are.
namespace gatefold::packing {

/// out[unit][column] = from[column][unit], columns column_bytes apart; a unit is one pair of
/// kBytes.
template <int kBytes>
void store_units(const uint8_t* from, int64_t column_bytes, int64_t panel, int64_t units,
                 uint8_t* out) {
  for (int64_t u = 0; u < units; ++u)
    for (int64_t c = 0; c < panel; ++c)
      std::memcpy(out + (u * panel + c) * kBytes, from + c * column_bytes + u * kBytes, kBytes);
}

#if defined(__SSE2__)
/// Four columns of four units of 4 bytes.
inline void store_4x4(const uint8_t* from, int64_t column_bytes, int64_t unit_bytes, uint8_t* out) {
  __m128 c[4];
  for (int i = 0; i < 4; ++i)
    c[i] = _mm_loadu_ps(reinterpret_cast<const float*>(from + i * column_bytes));
  _MM_TRANSPOSE4_PS(c[0], c[1], c[2], c[3]);  // moves bits, whatever they mean
  for (int i = 0; i < 4; ++i) _mm_storeu_ps(reinterpret_cast<float*>(out + i * unit_bytes), c[i]);
}

/// Almost all weights: f32, and bf16 in pairs. Sixteen units at a time are one line of each column,
/// so that no more than four lines, which a power of two apart share a set of L1, are in use at
/// once. Twice as fast as the plain loop.
template <>
inline void store_units<4>(const uint8_t* from, int64_t column_bytes, int64_t panel, int64_t units,
                           uint8_t* out) {
  constexpr int64_t kSize = 4, kLine = 16;
  const int64_t columns = panel / 4 * 4;
  for (int64_t u0 = 0; u0 < units; u0 += kLine) {
    const int64_t end = std::min(u0 + kLine, units), whole = u0 + (end - u0) / 4 * 4;
    for (int64_t c = 0; c < columns; c += 4)
      for (int64_t u = u0; u < whole; u += 4)
        store_4x4(from + c * column_bytes + u * kSize, column_bytes, panel * kSize,
                  out + (u * panel + c) * kSize);
    for (int64_t u = u0; u < end; ++u)
      for (int64_t c = u < whole ? columns : 0; c < panel; ++c)
        std::memcpy(out + (u * panel + c) * kSize, from + c * column_bytes + u * kSize, kSize);
  }
}
#endif

using StoreUnits = void (*)(const uint8_t*, int64_t, int64_t, int64_t, uint8_t*);

inline StoreUnits store_for(int64_t unit_bytes) {
  switch (unit_bytes) {
    case 2:
      return store_units<2>;
    case 4:
      return store_units<4>;
    case 8:
      return store_units<8>;
    case 16:
      return store_units<16>;
    default:
      return store_units<32>;
  }
}

}  // namespace gatefold::packing
