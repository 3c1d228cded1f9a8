#include "formats/quote.h"

namespace gatefold {
namespace {

// Longer than any tensor name of a published model, shorter than a screen of text.
constexpr size_t kLongest = 160;

std::string escaped(char c) {
  constexpr char kDigits[] = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  return {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
}

}  // namespace

std::string quote(std::string_view text) {
  std::string result = "'";
  for (const char c : text.substr(0, kLongest)) {
    const bool printable = c >= ' ' && c <= '~';
    result += printable ? std::string(1, c) : escaped(c);
  }
  return result + (text.size() > kLongest ? "...'" : "'");
}

}  // namespace gatefold
