#include "formats/npy.h"

#include <cstring>
#include <string>
#include <string_view>

#include "formats/atomic_file.h"
#include "formats/extent.h"
#include "formats/little_endian.h"
#include "formats/mapped_file.h"
#include "formats/npy_header.h"
#include "formats/quote.h"
#include "spec/error.h"

namespace gatefold {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr size_t kVersionEnd = kMagic.size() + 2;
constexpr size_t kAlignment = 64;  // of the data, as numpy writes it

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// 2 in version 1.0, 4 in 2.0 and 3.0.
size_t length_field_bytes(const std::string& file, std::span<const std::byte> bytes) {
  const std::string_view start = as_text(bytes).substr(0, kMagic.size());
  if (start != kMagic) {
    fail(file + ": begins with " + quote(start) + ", wanted " + quote(kMagic) + " (.npy)");
  }
  if (bytes.size() < kVersionEnd) fail(file + ": truncated before the .npy version");
  const auto major = std::to_integer<int>(bytes[kMagic.size()]);
  const auto minor = std::to_integer<int>(bytes[kMagic.size() + 1]);
  if (major < 1 || major > 3 || minor != 0) {
    fail(file + ": .npy version " + std::to_string(major) + "." + std::to_string(minor) +
         ", wanted 1.0, 2.0 or 3.0");
  }
  return major == 1 ? 2 : 4;
}

std::string_view header_of(const std::string& file, std::span<const std::byte> bytes) {
  const size_t field = length_field_bytes(file, bytes);
  const size_t start = kVersionEnd + field;
  if (bytes.size() < start) fail(file + ": truncated before the header length");
  const uint64_t length = field == 2 ? load_little_endian<uint16_t>(bytes, kVersionEnd)
                                     : load_little_endian<uint32_t>(bytes, kVersionEnd);
  if (length > bytes.size() - start) {
    fail(file + ": header length " + std::to_string(length) + " is past the end of the file (" +
         std::to_string(bytes.size() - start) + " bytes follow)");
  }
  return as_text(bytes.subspan(start, length));
}

void check_kind(const std::string& file, const NpyHeader& header, size_t wanted_rank) {
  if (header.descr != "<f4") {
    fail(file + ": dtype " + quote(header.descr) + ", wanted '<f4' (little-endian float32)");
  }
  if (header.fortran_order) fail(file + ": fortran_order is True, wanted False (C order)");
  if (header.shape.size() != wanted_rank) {
    fail(file + ": shape " + shape_text(header.shape) + " has rank " +
         std::to_string(header.shape.size()) + ", wanted " + std::to_string(wanted_rank));
  }
}

void check_size(const std::string& file, const NpyHeader& header, size_t found) {
  const std::string shape = shape_text(header.shape);
  const std::optional<int64_t> count = element_count(header.shape);
  int64_t wanted = 0;
  if (!count || __builtin_mul_overflow(*count, sizeof(float), &wanted)) {
    fail(file + ": shape " + shape + " is too large, wanted less than 2^63 bytes");
  }
  if (found != static_cast<uint64_t>(wanted)) {
    fail(file + ": " + std::to_string(found) + " bytes of data, wanted " + std::to_string(wanted) +
         " for shape " + shape);
  }
}

std::string preamble(int64_t rows, int64_t cols) {
  std::string dict = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(rows) +
                     ", " + std::to_string(cols) + "), }";
  const size_t before = kVersionEnd + sizeof(uint16_t);
  const size_t end = (before + dict.size() + 1 + kAlignment - 1) / kAlignment * kAlignment;
  dict.resize(end - before - 1, ' ');
  dict += '\n';
  const auto length = static_cast<uint16_t>(dict.size());
  std::string text(kMagic);
  text += std::string_view("\x01\x00", 2);
  text += as_text(std::as_bytes(std::span(&length, 1)));
  return text + dict;
}

}  // namespace

NpyArray read_npy_f32(const std::filesystem::path& path, size_t wanted_rank) {
  const std::string file = path.string();
  const MappedFile mapping = MappedFile::open(path);
  const std::string_view text = header_of(file, mapping.bytes());
  const std::string_view all = as_text(mapping.bytes());
  const std::string_view data = all.substr(static_cast<size_t>(text.end() - all.begin()));
  NpyHeader header = parse_npy_header(file, text);
  check_kind(file, header, wanted_rank);
  check_size(file, header, data.size());
  NpyArray array{std::move(header.shape), std::vector<float>(data.size() / sizeof(float))};
  if (!data.empty()) std::memcpy(array.values.data(), data.data(), data.size());
  return array;
}

void write_npy_f32(const std::filesystem::path& path, int64_t rows, int64_t cols,
                   std::span<const float> values) {
  const int64_t shape[] = {rows, cols};
  const std::optional<int64_t> count = element_count(shape);
  if (!count || static_cast<uint64_t>(*count) != values.size()) {
    fail(path.string() + ": " + std::to_string(values.size()) + " values do not fit shape " +
         shape_text(shape));
  }
  const std::string before = preamble(rows, cols);
  AtomicFile file(path);
  file.write(std::as_bytes(std::span(before)));
  file.write(std::as_bytes(values));
  file.commit();
}

}  // namespace gatefold
