#include "runtime/packed.h"

#include <cstring>

#include "runtime/packed_header.h"
#include "runtime/status.h"

namespace gatefold {
namespace {

// A pair of cache lines, which many CPUs fetch together: no part shares one with another.
constexpr int64_t kPartAlignment = 128;

int64_t padded_columns(const PackedLayout& layout) { return layout.panels * layout.panel; }

int64_t bias_bytes(const PackedLayout& layout) {
  return padded_columns(layout) * static_cast<int64_t>(sizeof(float));
}

bool has_matrix(const gf_ffn& planned, int m) {
  return m != GF_MATRIX_GATE || planned.table->gated;
}

/// The bytes between a part's end and the next one's begin.
void clear_gap(uint8_t* memory, int64_t end) {
  std::memset(memory + end, 0, static_cast<size_t>(round_up(end, kPartAlignment) - end));
}

}  // namespace

PackedPlaces packed_places(const gf_ffn& planned) {
  PackedPlaces places;
  int64_t end = kPackedHeaderBytes;
  const auto place = [&end](int64_t bytes) {
    const int64_t begin = end;
    end = round_up(end + bytes, kPartAlignment);
    return begin;
  };
  for (int m = 0; m < 3; ++m) {
    if (has_matrix(planned, m)) places.matrix[m] = place(planned.matrices[m].layout.bytes());
  }
  for (int m = 0; m < 3 && planned.table->has_bias; ++m) {
    if (has_matrix(planned, m)) places.bias[m] = place(bias_bytes(planned.matrices[m].layout));
  }
  places.bytes = end;
  return places;
}

gf_status check_packed_memory(const gf_ffn& planned, const void* memory, int64_t bytes) {
  const int64_t wanted = packed_places(planned).bytes;
  if (!memory) return failed(GF_INVALID_ARGUMENT, "packed weights: a null pointer");
  if (reinterpret_cast<uintptr_t>(memory) % kPackedAlignment != 0) {
    return failed(GF_INVALID_ARGUMENT, "packed weights: at %p, wanted aligned to %lld bytes",
                  memory, static_cast<long long>(kPackedAlignment));
  }
  if (bytes >= wanted) return GF_OK;
  return failed(GF_INVALID_ARGUMENT, "packed weights: %lld bytes, wanted %lld",
                static_cast<long long>(bytes), static_cast<long long>(wanted));
}

gf_status write_packed(const gf_ffn& planned, const WeightViews& views, void* memory) {
  PackedHeader header;
  if (const gf_status status = make_packed_header(planned, &header); status != GF_OK) return status;
  const PackedPlaces places = packed_places(planned);
  auto* bytes = static_cast<uint8_t*>(memory);
  std::memset(bytes, 0, sizeof header);
  for (int m = 0; m < 3; ++m) {
    if (!has_matrix(planned, m)) continue;
    const PackedLayout& layout = planned.matrices[m].layout;
    if (pack_matrix(views.matrix[m], layout, planned.executor, bytes + places.matrix[m]) != 0)
      return GF_PARALLEL_FOR_FAILED;
    clear_gap(bytes, places.matrix[m] + layout.bytes());
    if (!planned.table->has_bias) continue;
    uint8_t* bias = bytes + places.bias[m];
    pack_vector(views.bias[m], padded_columns(layout), reinterpret_cast<float*>(bias));
    clear_gap(bytes, places.bias[m] + bias_bytes(layout));
  }
  std::memcpy(bytes, &header, sizeof header);
  return GF_OK;
}

gf_status check_packed(const gf_ffn& planned, const void* memory, int64_t bytes) {
  PackedHeader wanted, found;
  gf_status status = make_packed_header(planned, &wanted);
  if (status != GF_OK) return status;
  // What it was packed for first: a foreign buffer is also of another size.
  if (memory && bytes >= kPackedHeaderBytes) {
    std::memcpy(&found, memory, sizeof found);
    status = compare_packed_headers(found, wanted);
  }
  return status == GF_OK ? check_packed_memory(planned, memory, bytes) : status;
}

}  // namespace gatefold
