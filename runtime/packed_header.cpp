#include "runtime/packed_header.h"

#include <cstring>

#include "runtime/status.h"

namespace gatefold {
namespace {

constexpr char kMagic[8] = {'g', 'f', 'p', 'a', 'c', 'k', 'e', 'd'};
constexpr uint32_t kByteOrder = 0x01020304;
constexpr uint32_t kVersion = 1;

/// FNV-1a: any change of one byte changes it.
uint64_t checksum_of(PackedHeader header) {
  header.checksum = 0;
  const auto* bytes = reinterpret_cast<const uint8_t*>(&header);
  uint64_t sum = 0xcbf29ce484222325;
  for (size_t i = 0; i < sizeof header; ++i) sum = (sum ^ bytes[i]) * 0x100000001b3;
  return sum;
}

template <size_t kSize>
bool put_text(char (&to)[kSize], const char* text) {
  const size_t length = std::strlen(text);
  if (length >= kSize) return false;
  std::memcpy(to, text, length);
  return true;
}

/// A text from outside, for a message.
template <size_t kSize>
struct Shown {
  char text[kSize + 1] = {};
  explicit Shown(const char (&from)[kSize]) {
    for (size_t i = 0; i < kSize && from[i]; ++i)
      text[i] = from[i] >= ' ' && from[i] <= '~' ? from[i] : '?';
  }
};

template <size_t kSize>
gf_status same_text(const char* name, const char (&found)[kSize], const char (&wanted)[kSize]) {
  if (std::memcmp(found, wanted, kSize) == 0) return GF_OK;
  return failed(GF_BAD_PACKED_WEIGHTS, "packed weights: %s '%s', wanted '%s'", name,
                Shown(found).text, Shown(wanted).text);
}

gf_status same_number(const char* name, int64_t found, int64_t wanted) {
  if (found == wanted) return GF_OK;
  return failed(GF_BAD_PACKED_WEIGHTS, "packed weights: %s %lld, wanted %lld", name,
                static_cast<long long>(found), static_cast<long long>(wanted));
}

/// By bits, so that a NaN is itself.
gf_status same_parameter(const char* name, float found, float wanted) {
  if (std::memcmp(&found, &wanted, sizeof found) == 0) return GF_OK;
  return failed(GF_BAD_PACKED_WEIGHTS, "packed weights: %s %.9g, wanted %.9g", name, found, wanted);
}

/// That it is a header at all, and whole.
gf_status check_frame(const PackedHeader& found) {
  gf_status status = same_text("first bytes", found.magic, kMagic);
  if (status == GF_OK && found.byte_order != kByteOrder) {
    return failed(GF_BAD_PACKED_WEIGHTS,
                  "packed weights: byte order mark %08x, wanted %08x: packed on another machine?",
                  found.byte_order, kByteOrder);
  }
  if (status == GF_OK) status = same_number("format version", found.version, kVersion);
  const uint64_t checksum = checksum_of(found);
  if (status != GF_OK || found.checksum == checksum) return status;
  return failed(GF_BAD_PACKED_WEIGHTS, "packed weights: header checksum %016llx, wanted %016llx",
                static_cast<unsigned long long>(found.checksum),
                static_cast<unsigned long long>(checksum));
}

gf_status compare_packing(const gf_packing& found, const gf_packing& wanted) {
  gf_status status = same_number("packing panel", found.panel, wanted.panel);
  if (status == GF_OK) status = same_number("packing pair", found.pair, wanted.pair);
  if (status == GF_OK) status = same_number("packing k_step", found.k_step, wanted.k_step);
  if (status == GF_OK) status = same_number("packing group", found.group, wanted.group);
  return status;
}

gf_status compare_parameters(const PackedHeader& found, const PackedHeader& wanted) {
  gf_status status = same_parameter("slope", found.slope, wanted.slope);
  if (status == GF_OK) status = same_parameter("alpha", found.alpha, wanted.alpha);
  if (status == GF_OK) status = same_parameter("limit", found.limit, wanted.limit);
  if (status == GF_OK) status = same_parameter("up_offset", found.up_offset, wanted.up_offset);
  return status;
}

}  // namespace

gf_status make_packed_header(const gf_ffn& planned, PackedHeader* header) {
  const gf_kernel_table& table = *planned.table;
  *header = {};
  std::memcpy(header->magic, kMagic, sizeof kMagic);
  header->byte_order = kByteOrder;
  header->version = kVersion;
  header->bytes = packed_places(planned).bytes;
  if (!put_text(header->variant, table.variant) || !put_text(header->dtype, table.dtype) ||
      !put_text(header->target, planned.target.target)) {
    return failed(GF_BAD_LIBRARY, "%s: variant '%s', dtype '%s' or target '%s' is too long",
                  table.library, table.variant, table.dtype, planned.target.target);
  }
  header->d_model = planned.sizes.d_model;
  header->d_ff = planned.sizes.d_ff;
  header->gated = table.gated;
  header->has_bias = table.has_bias;
  header->slope = table.slope;
  header->alpha = table.alpha;
  header->limit = table.limit;
  header->up_offset = table.up_offset;
  header->packing = planned.packing;
  header->checksum = checksum_of(*header);
  return GF_OK;
}

gf_status compare_packed_headers(const PackedHeader& found, const PackedHeader& wanted) {
  gf_status status = check_frame(found);
  if (status == GF_OK) status = same_text("variant", found.variant, wanted.variant);
  if (status == GF_OK) status = compare_parameters(found, wanted);
  if (status == GF_OK) status = same_text("dtype", found.dtype, wanted.dtype);
  if (status == GF_OK) status = same_number("d_model", found.d_model, wanted.d_model);
  if (status == GF_OK) status = same_number("d_ff", found.d_ff, wanted.d_ff);
  if (status == GF_OK) status = same_number("gated", found.gated, wanted.gated);
  if (status == GF_OK) status = same_number("has_bias", found.has_bias, wanted.has_bias);
  if (status == GF_OK) status = same_text("target", found.target, wanted.target);
  if (status == GF_OK) status = compare_packing(found.packing, wanted.packing);
  if (status == GF_OK) status = same_number("bytes", found.bytes, wanted.bytes);
  return status;
}

}  // namespace gatefold
