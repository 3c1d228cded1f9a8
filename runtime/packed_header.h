#pragma once

#include <cstdint>

#include "runtime/ffn.h"
#include "runtime/packed.h"

namespace gatefold {

/// What packed weights begin with, in the byte order of the machine that packed them.
struct PackedHeader {
  char magic[8];
  uint32_t byte_order;
  uint32_t version;   ///< raised when the bytes behind the header change their meaning
  uint64_t checksum;  ///< of the header, with 0 here
  int64_t bytes;      ///< of the whole
  char variant[32];
  char dtype[16];
  char target[48];
  int64_t d_model;
  int64_t d_ff;
  int32_t gated;
  int32_t has_bias;
  float slope, alpha, limit, up_offset;
  gf_packing packing;
  uint8_t rest[328];  ///< zeros
};
static_assert(sizeof(PackedHeader) == kPackedHeaderBytes);

/// The header of the planned block; its texts fit or the status says which doesn't.
gf_status make_packed_header(const gf_ffn& planned, PackedHeader* header);

/// The first thing in which a header differs from the one wanted is named with both values.
gf_status compare_packed_headers(const PackedHeader& found, const PackedHeader& wanted);

}  // namespace gatefold
