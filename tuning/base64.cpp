#include "tuning/base64.h"

#include <cstdint>

namespace gatefold {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

uint32_t byte_at(std::string_view bytes, size_t i) {
  return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0;
}

/// Characters of `=` at the end, or 3 if that is no padding.
size_t padding_of(std::string_view text) {
  const size_t last = text.find_last_not_of('=');
  const size_t padding = last == std::string_view::npos ? text.size() : text.size() - last - 1;
  return padding > 2 ? 3 : padding;
}

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const uint32_t three =
        byte_at(bytes, i) << 16 | byte_at(bytes, i + 1) << 8 | byte_at(bytes, i + 2);
    for (size_t digit = 0; digit < 4; ++digit) {
      const bool filled = i + digit <= bytes.size();
      text += filled ? kDigits[three >> (18 - 6 * digit) & 63] : '=';
    }
  }
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  const size_t padding = padding_of(text);
  if (text.size() % 4 != 0 || padding > 2) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  uint32_t bits = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const size_t value = i < text.size() - padding ? kDigits.find(text[i]) : 0;
    if (value == std::string_view::npos) return std::nullopt;
    bits = bits << 6 | static_cast<uint32_t>(value);
    if (i % 4 != 3) continue;
    for (int shift : {16, 8, 0}) bytes += static_cast<char>(bits >> shift & 255);
    bits = 0;
  }
  bytes.resize(bytes.size() - padding);
  return bytes;
}

}  // namespace gatefold
