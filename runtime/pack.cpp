#include "runtime/pack.h"

#include <algorithm>
#include <cstring>

#include "runtime/float_formats.h"
#include "runtime/pool.h"

namespace gatefold {
namespace {

// A tile is one panel's columns times kTileK, in L1: read along the source's rows, written in
// packed order. Of a transposed source one task's neighbouring panels share the cache lines.
constexpr int64_t kTileK = 64;
constexpr int64_t kPanelsPerTask = 4;
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

/// tile[column][k], columns kTileK apart. The inner loop runs along the source's short stride.
template <typename From, typename To>
void load_tile(const MatrixView& from, const TileRange& t, typename To::Word* tile) {
  constexpr int64_t kSize = sizeof(typename From::Word);
  const int64_t step_n = from.stride_n * kSize, step_k = from.stride_k * kSize;
  const uint8_t* base = from.data + t.n0 * step_n + t.k0 * step_k;
  if (from.stride_k == 1) {
    for (int64_t n = 0; n < t.n_count; ++n)
      for (int64_t k = 0; k < t.k_count; ++k)
        tile[n * kTileK + k] = load<From, To>(base + n * step_n + k * kSize);
  } else {
    for (int64_t k = 0; k < t.k_count; ++k)
      for (int64_t n = 0; n < t.n_count; ++n)
        tile[n * kTileK + k] = load<From, To>(base + n * step_n + k * step_k);
  }
}

template <typename Word>
void clear_padding(int64_t panel, const TileRange& t, Word* tile) {
  if (t.n_count == panel && t.k_count == kTileK) return;
  for (int64_t n = 0; n < panel; ++n) {
    const int64_t filled = n < t.n_count ? t.k_count : 0;
    std::fill(tile + n * kTileK + filled, tile + (n + 1) * kTileK, Word{});
  }
}

/// out[unit][column] = tile[column][unit]; a unit is one pair of kBytes.
template <int kBytes>
void store_units(const uint8_t* tile, int64_t column_bytes, int64_t panel, int64_t units,
                 uint8_t* out) {
  for (int64_t u = 0; u < units; ++u)
    for (int64_t c = 0; c < panel; ++c)
      std::memcpy(out + (u * panel + c) * kBytes, tile + c * column_bytes + u * kBytes, kBytes);
}

using StoreUnits = void (*)(const uint8_t*, int64_t, int64_t, int64_t, uint8_t*);

StoreUnits store_for(int64_t unit_bytes) {
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

template <typename From, typename To>
void pack_panel(const MatrixView& from, const PackedLayout& layout, int64_t panel, uint8_t* out) {
  using Word = typename To::Word;
  alignas(64) Word tile[kMaxPanel * kTileK];
  const int64_t n0 = panel * layout.panel;
  const int64_t n_count = std::clamp<int64_t>(from.n - n0, 0, layout.panel);
  const int64_t unit_bytes = layout.pair * static_cast<int64_t>(sizeof(Word));
  const StoreUnits store = store_for(unit_bytes);
  for (int64_t k0 = 0; k0 < layout.kq * layout.pair; k0 += kTileK) {
    const TileRange range{n0, n_count, k0, std::clamp<int64_t>(from.k - k0, 0, kTileK)};
    if (n_count > 0 && range.k_count > 0) load_tile<From, To>(from, range, tile);
    clear_padding(layout.panel, range, tile);
    const int64_t units = std::min(kTileK, layout.kq * layout.pair - k0) / layout.pair;
    store(reinterpret_cast<const uint8_t*>(tile), kTileK * sizeof(Word), layout.panel, units,
          out + k0 / layout.pair * layout.panel * unit_bytes);
  }
}

using PackPanel = void (*)(const MatrixView&, const PackedLayout&, int64_t, uint8_t*);

template <typename To>
PackPanel pack_from(gf_dtype from) {
  switch (from) {
    case GF_F32:
      return pack_panel<F32, To>;
    case GF_BF16:
      return pack_panel<Bf16, To>;
    case GF_F16:
      return pack_panel<F16, To>;
  }
  return nullptr;
}

struct PackJob {
  const MatrixView& from;
  const PackedLayout& layout;
  PackPanel pack;
  uint8_t* out;
};

int pack_task(void*, int index, uint8_t* closure) {
  const PackJob& job = *reinterpret_cast<const PackJob*>(closure);
  const int64_t panel_bytes = job.layout.panel_elements() * dtype_bytes(job.layout.dtype);
  const int64_t first = index * kPanelsPerTask;
  const int64_t last = std::min(first + kPanelsPerTask, job.layout.panels);
  for (int64_t p = first; p < last; ++p)
    job.pack(job.from, job.layout, p, job.out + p * panel_bytes);
  return 0;
}

}  // namespace

PackedLayout packed_layout(const gf_packing& packing, int64_t n, int64_t k, gf_dtype dtype) {
  PackedLayout layout;
  layout.panel = packing.panel;
  layout.pair = packing.pair;
  layout.panels = round_up(ceil_div(n, packing.panel), packing.group);
  layout.kq = round_up(ceil_div(k, packing.pair), packing.k_step);
  layout.dtype = dtype;
  return layout;
}

void pack_matrix(const MatrixView& from, const PackedLayout& layout, int threads, void* out) {
  const PackPanel pack =
      layout.dtype == GF_F32 ? pack_from<F32>(from.dtype) : pack_from<Bf16>(from.dtype);
  PackJob job{from, layout, pack, static_cast<uint8_t*>(out)};
  const auto tasks = static_cast<int>(ceil_div(layout.panels, kPanelsPerTask));
  Pool::process().par_for(threads, pack_task, nullptr, 0, tasks, reinterpret_cast<uint8_t*>(&job));
}

void pack_vector(const MatrixView& from, int64_t padded, float* out) {
  const int64_t length = from.data ? from.n : 0;
  const int64_t step = from.stride_n * dtype_bytes(from.dtype);
  for (int64_t i = 0; i < length; ++i) {
    const uint8_t* p = from.data + i * step;
    switch (from.dtype) {
      case GF_F32:
        out[i] = load<F32, F32>(p);
        break;
      case GF_BF16:
        out[i] = load<Bf16, F32>(p);
        break;
      case GF_F16:
        out[i] = load<F16, F32>(p);
        break;
    }
  }
  std::fill(out + length, out + padded, 0.0f);
}

}  // namespace gatefold
