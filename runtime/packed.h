#pragma once

#include "runtime/ffn.h"

namespace gatefold {

// Packed weights as one piece of memory: a header that says what they were packed for, the
// matrices, the biases. A block of gf_ffn_create holds the same bytes as gf_ffn_pack writes.

inline constexpr int64_t kPackedHeaderBytes = 512;
inline constexpr int64_t kPackedAlignment = 64;  ///< of the piece; what kernels rely on

/// Where the parts lie, by GF_MATRIX_*; 0: not there.
struct PackedPlaces {
  int64_t matrix[3] = {};
  int64_t bias[3] = {};
  int64_t bytes = 0;  ///< of the whole
};
PackedPlaces packed_places(const gf_ffn& planned);

/// Whether memory is there, aligned and large enough for the planned block.
gf_status check_packed_memory(const gf_ffn& planned, const void* memory, int64_t bytes);

/// Writes all of packed_places().bytes, the header last: what was interrupted is never taken for
/// packed weights.
gf_status write_packed(const gf_ffn& planned, const WeightViews& views, void* memory);

/// Whether what lies there was packed for just such a block. Only the header is read.
gf_status check_packed(const gf_ffn& planned, const void* memory, int64_t bytes);

}  // namespace gatefold
