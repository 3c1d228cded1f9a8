#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace gatefold::ptx {

/// Global memory: allocations with names and guard gaps between them, whose addresses are not used
/// again. Every byte knows whether it was written.
class Memory {
 public:
  uint64_t allocate(std::span<const std::byte> bytes, std::string name);
  /// Uninitialised: a kernel that reads before it writes is at fault.
  uint64_t allocate(size_t bytes, std::string name);
  /// At an address of the caller's, which lies apart from all others.
  void adopt(uint64_t address, std::span<const std::byte> bytes, std::string name);
  void release(uint64_t address);

  void write(uint64_t address, std::span<const std::byte> bytes);
  void fill(uint64_t address, size_t bytes, std::byte value);
  std::vector<std::byte> read(uint64_t address, size_t bytes) const;
  size_t unwritten(uint64_t address, size_t bytes) const;  ///< how many of them
  size_t bytes_of(uint64_t address) const;                 ///< of the allocation that begins there
  size_t allocations() const { return allocations_.size(); }

  template <typename T>
  uint64_t upload(const std::vector<T>& values, std::string name) {
    return allocate(std::as_bytes(std::span(values)), std::move(name));
  }
  template <typename T>
  std::vector<T> download(uint64_t address, size_t count) const {
    const std::vector<std::byte> bytes = read(address, count * sizeof(T));
    std::vector<T> values(count);
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }

  // For the machine; these throw Trouble.
  void begin_launch(std::span<const std::byte> module_variables);
  void end_launch();
  /// `read_only`: ld.global.nc, of bytes that no thread of this launch may write.
  void load(uint64_t address, size_t bytes, size_t alignment, bool read_only, std::byte* to);
  void store(uint64_t address, size_t bytes, size_t alignment, const std::byte* from);

 private:
  struct Allocation {
    std::string name;
    std::vector<std::byte> bytes;
    std::vector<uint8_t> state;
  };
  struct Place {
    Allocation* allocation;
    size_t offset;
  };

  uint64_t add(size_t bytes, std::string name);
  Place find(uint64_t address, size_t bytes) const;
  Place find_for_host(uint64_t address, size_t bytes) const;

  mutable std::map<uint64_t, Allocation> allocations_;
  uint64_t next_ = uint64_t{7} << 44;
};

}  // namespace gatefold::ptx
