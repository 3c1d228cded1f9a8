#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gatefold {

/// FNV-1a in two lanes of 64 bits: the files are our own, so accidents are all it must withstand.
class ByteHash {
 public:
  void add(std::string_view bytes);
  std::string text() const;  ///< 32 hexadecimal digits

 private:
  uint64_t low_ = 0xcbf29ce484222325u, high_ = 0x84222325cbf29ce4u;
};

std::string hash_of(std::string_view bytes);

}  // namespace gatefold
