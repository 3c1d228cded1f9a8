#pragma once

#include <cstddef>
#include <cstdint>

#include "gatefold/gatefold.h"
#include "runtime/executor.h"

namespace gatefold {

constexpr int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
constexpr int64_t round_up(int64_t a, int64_t multiple) { return ceil_div(a, multiple) * multiple; }
constexpr int64_t dtype_bytes(gf_dtype dtype) { return dtype == GF_F32 ? 4 : 2; }

/// A matrix [n, k] (out, in) somewhere in the caller's memory: element (i, j) is the one at
/// i * stride_n + j * stride_k. Row-major, transposed and fused tensors are all of this form.
struct MatrixView {
  const uint8_t* data = nullptr;
  gf_dtype dtype = GF_F32;
  int64_t n = 0;
  int64_t k = 0;
  int64_t stride_n = 0;
  int64_t stride_k = 0;
};

/// [panel][k / pair][column][pair] of one matrix.
struct PackedLayout {
  int64_t panel = 0;  ///< columns of a panel
  int64_t pair = 0;
  int64_t panels = 0;  ///< padded
  int64_t kq = 0;      ///< k / pair, padded
  gf_dtype dtype = GF_F32;

  int64_t panel_elements() const { return kq * panel * pair; }
  int64_t bytes() const { return panels * panel_elements() * dtype_bytes(dtype); }
};

PackedLayout packed_layout(const gf_packing& packing, int64_t n, int64_t k, gf_dtype dtype);

/// Largest panel and pair that packing accepts.
inline constexpr int kMaxPanel = 256;
inline constexpr int kMaxPair = 8;

/// Fills `out`, padding included, converting to layout.dtype. Panels are shared out
/// among the threads, so that each memory node gets its part by first touch. 0, or kPoolFailed.
int pack_matrix(const MatrixView& from, const PackedLayout& layout, const Executor& executor,
                void* out);

/// A vector (k 1) as f32, followed by zeros up to `padded` values; data NULL gives zeros only.
void pack_vector(const MatrixView& from, int64_t padded, float* out);

}  // namespace gatefold
