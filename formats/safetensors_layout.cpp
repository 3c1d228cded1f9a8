#include "formats/safetensors_layout.h"

#include <algorithm>

#include "formats/extent.h"
#include "formats/quote.h"
#include "formats/tensor_type.h"
#include "spec/error.h"

namespace gatefold {
namespace {

void check_range(const std::string& where, const SafetensorsEntry& entry, uint64_t data_bytes) {
  const uint64_t begin = entry.data_offsets[0];
  const uint64_t end = entry.data_offsets[1];
  if (begin > end) {
    fail(where + "data_offsets begin " + std::to_string(begin) + " is past their end " +
         std::to_string(end));
  }
  if (end > data_bytes) {
    fail(where + "data_offsets end " + std::to_string(end) + " is past the data section (" +
         std::to_string(data_bytes) + " bytes)");
  }
}

uint64_t bytes_of(const std::string& where, const SafetensorsEntry& entry) {
  const SafetensorsDtype* dtype = find_safetensors_dtype(entry.dtype);
  if (dtype == nullptr) {
    fail(where + "unknown dtype " + quote(entry.dtype) + ", wanted one of " +
         safetensors_dtype_names());
  }
  const std::optional<int64_t> count = element_count(entry.shape);
  int64_t bits = 0;
  if (!count || __builtin_mul_overflow(*count, dtype->bits, &bits)) {
    fail(where + "shape " + shape_text(entry.shape) + " of " + entry.dtype +
         " is too large, wanted less than 2^63 bits");
  }
  if (bits % 8 != 0) {
    fail(where + "shape " + shape_text(entry.shape) + " of " + entry.dtype +
         " is not a whole number of bytes");
  }
  return static_cast<uint64_t>(bits / 8);
}

void check_size(const std::string& where, const SafetensorsEntry& entry) {
  const uint64_t wanted = bytes_of(where, entry);
  const uint64_t found = entry.data_offsets[1] - entry.data_offsets[0];
  if (found != wanted) {
    fail(where + "data_offsets hold " + std::to_string(found) + " bytes, wanted " +
         std::to_string(wanted) + " for shape " + shape_text(entry.shape) + " of " + entry.dtype);
  }
}

/// Every byte of the data belongs to exactly one tensor, as the format demands: an overlap or a gap
/// means that the offsets are wrong, or that the file hides something.
void check_coverage(const std::string& file, const std::vector<SafetensorsEntry>& sorted,
                    uint64_t data_bytes) {
  uint64_t covered = 0;
  const SafetensorsEntry* before = nullptr;
  for (const SafetensorsEntry& entry : sorted) {
    const uint64_t begin = entry.data_offsets[0];
    const std::string found =
        ": tensor " + quote(entry.name) + ": data_offsets begin " + std::to_string(begin);
    if (begin < covered) {
      fail(file + found + " overlaps tensor " + quote(before->name) + ", which ends at " +
           std::to_string(covered));
    }
    if (begin > covered) fail(file + found + " leaves a gap, wanted " + std::to_string(covered));
    covered = entry.data_offsets[1];
    before = &entry;
  }
  if (covered != data_bytes) {
    fail(file + ": the data section has " + std::to_string(data_bytes) + " bytes, wanted " +
         std::to_string(covered) + " (the end of the last tensor)");
  }
}

}  // namespace

void check_safetensors_layout(const std::string& file, std::vector<SafetensorsEntry>& entries,
                              uint64_t data_bytes) {
  for (const SafetensorsEntry& entry : entries) {
    const std::string where = file + ": tensor " + quote(entry.name) + ": ";
    check_range(where, entry, data_bytes);
    check_size(where, entry);
  }
  std::ranges::sort(entries, {}, &SafetensorsEntry::data_offsets);
  check_coverage(file, entries, data_bytes);
}

}  // namespace gatefold
