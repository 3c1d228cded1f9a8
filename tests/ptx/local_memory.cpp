#include "tests/ptx/local_memory.h"

#include <algorithm>
#include <cstring>

#include "tests/ptx/trouble.h"

namespace gatefold::ptx {

LocalMemory::LocalMemory(uint32_t threads, uint32_t bytes_of_thread)
    : size_(bytes_of_thread),
      bytes_(size_t{threads} * bytes_of_thread),
      written_(size_t{threads} * bytes_of_thread) {}

void LocalMemory::begin_block() { std::fill(written_.begin(), written_.end(), uint8_t{0}); }

size_t LocalMemory::find(uint32_t thread, uint64_t address, size_t bytes) const {
  if (address > size_ || bytes > size_ - address) {
    trouble("{} bytes at local {:#x}, wanted an end at {:#x}", bytes, address, size_);
  }
  if (address % bytes != 0) trouble("local {:#x}, wanted a multiple of {}", address, bytes);
  return size_t{thread} * size_ + address;
}

void LocalMemory::load(uint32_t thread, uint64_t address, size_t bytes, std::byte* to) const {
  const size_t begin = find(thread, address, bytes);
  for (size_t i = 0; i < bytes; ++i) {
    if (written_[begin + i] == 0) trouble("local {:#x} was never written", address + i);
  }
  std::memcpy(to, bytes_.data() + begin, bytes);
}

void LocalMemory::store(uint32_t thread, uint64_t address, size_t bytes, const std::byte* from) {
  const size_t begin = find(thread, address, bytes);
  std::memcpy(bytes_.data() + begin, from, bytes);
  std::memset(written_.data() + begin, 1, bytes);
}

}  // namespace gatefold::ptx
