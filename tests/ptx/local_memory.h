#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gatefold::ptx {

/// What each thread of a block has for itself (.local): arrays that found no registers.
class LocalMemory {
 public:
  LocalMemory(uint32_t threads, uint32_t bytes_of_thread);

  void begin_block();

  // These throw Trouble.
  void load(uint32_t thread, uint64_t address, size_t bytes, std::byte* to) const;
  void store(uint32_t thread, uint64_t address, size_t bytes, const std::byte* from);

 private:
  size_t find(uint32_t thread, uint64_t address, size_t bytes) const;

  const uint32_t size_;
  std::vector<std::byte> bytes_;
  std::vector<uint8_t> written_;
};

}  // namespace gatefold::ptx
