#pragma once

#include "runtime/ffn.h"

namespace gatefold {

/// The matrices of one call; the residual is null where the block adds none.
struct Call {
  const gf_rows& x;
  const gf_rows* residual;
  const gf_rows& y;
};

inline int64_t stride_of(const gf_rows& r) { return r.row_stride ? r.row_stride : r.cols; }

/// Element by element the same memory.
inline bool same_memory(const gf_rows& a, const gf_rows& b) {
  return a.data == b.data && (a.rows <= 1 || stride_of(a) == stride_of(b));
}

/// Everything that the caller may get wrong.
gf_status check_call(const gf_ffn& ffn, const Call& call);

}  // namespace gatefold
