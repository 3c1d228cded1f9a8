#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "runtime/cpu_features.h"
#include "runtime/float_formats.h"
#include "runtime/pack.h"
#include "runtime/pack_store.h"

// The loops of pack.cpp, by source and packed type.
namespace gatefold::packing {

// Row-major sources go through a tile: one panel's columns times kTileK, in L1, read along the
// source's rows, written in packed order.
inline constexpr int64_t kTileK = 64;
static_assert(kTileK % kMaxPair == 0);

struct F32 {
  using Word = float;
  static float to_f32(Word v) { return v; }
  static Word from_f32(float v) { return v; }
};
struct Bf16 {
  using Word = uint16_t;
  static float to_f32(Word v) { return f32_from_bf16(v); }
  static Word from_f32(float v) { return bf16_from_f32(v); }
};
struct F16 {
  using Word = uint16_t;
  static float to_f32(Word v) { return f32_from_f16(v); }
  static Word from_f32(float v) { return f16_from_f32(v); }
};

/// The element at `p`, at any alignment; bits are kept where the type stays.
template <typename From, typename To>
typename To::Word load(const uint8_t* p) {
  typename From::Word word;
  std::memcpy(&word, p, sizeof word);
  if constexpr (std::is_same_v<From, To>) {
    return word;
  } else {
    return To::from_f32(From::to_f32(word));
  }
}

struct TileRange {
  int64_t n0, n_count;  ///< columns that the source has of this panel
  int64_t k0, k_count;
};

/// tile[column][k], columns kTileK apart.
template <typename From, typename To>
[[gnu::always_inline]] inline void load_tile(const MatrixView& from, const TileRange& t,
                                             typename To::Word* tile) {
  constexpr int64_t kSize = sizeof(typename From::Word);
  const int64_t step_n = from.stride_n * kSize, step_k = from.stride_k * kSize;
  const uint8_t* base = from.data + t.n0 * step_n + t.k0 * step_k;
  for (int64_t n = 0; n < t.n_count; ++n)
    for (int64_t k = 0; k < t.k_count; ++k)
      tile[n * kTileK + k] = load<From, To>(base + n * step_n + k * kSize);
}

template <typename From, typename To>
void load_tile_anywhere(const MatrixView& from, const TileRange& t, typename To::Word* tile) {
  load_tile<From, To>(from, t, tile);
}

#if defined(__x86_64__)
/// The same bits; conversions take twice as long without 256-bit vectors.
template <typename From, typename To>
[[gnu::target("avx2")]] void load_tile_avx2(const MatrixView& from, const TileRange& t,
                                            typename To::Word* tile) {
  load_tile<From, To>(from, t, tile);
}

template <typename From, typename To>
auto tile_loader() {
  return target_usable("x86-avx2") ? load_tile_avx2<From, To> : load_tile_anywhere<From, To>;
}
#else
template <typename From, typename To>
auto tile_loader() {
  return load_tile_anywhere<From, To>;
}
#endif

template <typename Word>
void clear_padding(int64_t panel, const TileRange& t, Word* tile) {
  if (t.n_count == panel && t.k_count == kTileK) return;
  for (int64_t n = 0; n < panel; ++n) {
    const int64_t filled = n < t.n_count ? t.k_count : 0;
    std::fill(tile + n * kTileK + filled, tile + (n + 1) * kTileK, Word{});
  }
}

template <typename From, typename To>
void pack_rows(const MatrixView& from, const PackedLayout& layout, int64_t panel, uint8_t* out) {
  using Word = typename To::Word;
  alignas(64) Word tile[kMaxPanel * kTileK];
  const int64_t n0 = panel * layout.panel;
  const int64_t n_count = std::clamp<int64_t>(from.n - n0, 0, layout.panel);
  constexpr int64_t kSize = sizeof(Word);
  const int64_t unit_bytes = layout.pair * kSize, step_n = from.stride_n * kSize;
  const StoreUnits store = store_for(unit_bytes);
  const auto load_to = tile_loader<From, To>();
  for (int64_t k0 = 0; k0 < layout.kq * layout.pair; k0 += kTileK) {
    const TileRange range{n0, n_count, k0, std::clamp<int64_t>(from.k - k0, 0, kTileK)};
    uint8_t* to = out + k0 / layout.pair * layout.panel * unit_bytes;
    if (std::is_same_v<From, To> && n_count == layout.panel && range.k_count == kTileK) {
      store(from.data + n0 * step_n + k0 * kSize, step_n, layout.panel, kTileK / layout.pair, to);
      continue;
    }
    if (n_count > 0 && range.k_count > 0) load_to(from, range, tile);
    clear_padding(layout.panel, range, tile);
    const int64_t units = std::min(kTileK, layout.kq * layout.pair - k0) / layout.pair;
    store(reinterpret_cast<const uint8_t*>(tile), kTileK * kSize, layout.panel, units, to);
  }
}

/// One unit of every column: kPair source rows interleaved, out[column][j] = row j[column].
template <typename From, typename To, int kPair>
void interleave(const uint8_t* row, int64_t step_n, int64_t step_k, int64_t count,
                typename To::Word* out) {
  constexpr int64_t kSize = sizeof(typename From::Word);
  const auto copy = [&](int64_t step) {
    for (int64_t c = 0; c < count; ++c)
      for (int j = 0; j < kPair; ++j)
        out[c * kPair + j] = load<From, To>(row + c * step + j * step_k);
  };
  // The constant lets the compiler read whole vectors.
  return step_n == kSize ? copy(kSize) : copy(step_n);
}

/// The last unit of a k that is no multiple of the pair.
template <typename From, typename To>
void interleave_some(const uint8_t* row, int64_t step_n, int64_t step_k, int64_t count,
                     int64_t rows, int64_t pair, typename To::Word* out) {
  for (int64_t c = 0; c < count; ++c)
    for (int64_t j = 0; j < rows; ++j)
      out[c * pair + j] = load<From, To>(row + c * step_n + j * step_k);
}

struct PanelRange {
  int64_t first, last;
};

// A task reads a short piece of each row of a transposed source: the hardware, which stops at the
// end of a page, fetches nothing of the next row ahead.
inline constexpr int64_t kRowsAhead = 8;

/// `bytes` from `distance` on; behind the source's end it does nothing.
inline void prefetch_ahead(const uint8_t* row, int64_t distance, int64_t bytes) {
  const uintptr_t begin = reinterpret_cast<uintptr_t>(row) + static_cast<uintptr_t>(distance);
  for (int64_t i = 0; i < bytes; i += 64)
    __builtin_prefetch(reinterpret_cast<const void*>(begin + static_cast<uintptr_t>(i)));
}

/// Panels of a transposed source, kPair of its rows at a time.
template <typename From, typename To, int kPair>
void pack_columns(const MatrixView& from, const PackedLayout& layout, PanelRange panels,
                  uint8_t* out) {
  using Word = typename To::Word;
  constexpr int64_t kSize = sizeof(typename From::Word);
  const int64_t step_n = from.stride_n * kSize, step_k = from.stride_k * kSize;
  for (int64_t q = 0; q < layout.kq; ++q) {
    const int64_t rows = std::clamp<int64_t>(from.k - q * kPair, 0, kPair);
    Word* to = reinterpret_cast<Word*>(out) + q * layout.panel * kPair;
    for (int64_t p = panels.first; p < panels.last; ++p, to += layout.panel_elements()) {
      const int64_t n0 = p * layout.panel;
      const int64_t count = rows ? std::clamp<int64_t>(from.n - n0, 0, layout.panel) : 0;
      if (count < layout.panel || rows < kPair) std::fill(to, to + layout.panel * kPair, Word{});
      if (count == 0) continue;
      const uint8_t* row = from.data + n0 * step_n + q * kPair * step_k;
      prefetch_ahead(row, kRowsAhead * step_k, count * step_n);
      if (rows == kPair) {
        interleave<From, To, kPair>(row, step_n, step_k, count, to);
      } else {
        interleave_some<From, To>(row, step_n, step_k, count, rows, kPair, to);
      }
    }
  }
}

}  // namespace gatefold::packing
