#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace gatefold {

/// Memory that other processes of this user can map by its path, as long as this object lives. On
/// no disk, so that writing it back disturbs nobody.
class SharedBytes {
 public:
  explicit SharedBytes(size_t bytes);
  ~SharedBytes();
  SharedBytes(const SharedBytes&) = delete;
  SharedBytes& operator=(const SharedBytes&) = delete;

  uint8_t* data() { return data_; }
  size_t size() const { return bytes_; }
  std::string path() const;

 private:
  size_t bytes_;
  int fd_ = -1;
  uint8_t* data_ = nullptr;
};

}  // namespace gatefold
