#include "tuning/byte_hash.h"

#include <cstdio>

namespace gatefold {

void ByteHash::add(std::string_view bytes) {
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    low_ = (low_ ^ byte) * 0x100000001b3u;
    high_ = (high_ + byte) * 0x9e3779b97f4a7c15u;
  }
}

std::string ByteHash::text() const {
  char digits[33];
  std::snprintf(digits, sizeof digits, "%016llx%016llx", static_cast<unsigned long long>(high_),
                static_cast<unsigned long long>(low_));
  return digits;
}

std::string hash_of(std::string_view bytes) {
  ByteHash hash;
  hash.add(bytes);
  return hash.text();
}

}  // namespace gatefold
