#include "tests/ptx/memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "spec/error.h"
#include "tests/ptx/module.h"
#include "tests/ptx/trouble.h"

namespace gatefold::ptx {
namespace {

constexpr uint8_t kWritten = 1, kWrittenInThisLaunch = 2;
constexpr size_t kGap = size_t{1} << 16;
// What an uninitialised byte holds for the host, which may read it.
constexpr std::byte kPoison{0xcd};

}  // namespace

uint64_t Memory::add(size_t bytes, std::string name) {
  const uint64_t address = next_;
  next_ += (bytes + kGap - 1) / kGap * kGap + kGap;
  allocations_.emplace(address, Allocation{std::move(name), std::vector<std::byte>(bytes, kPoison),
                                           std::vector<uint8_t>(bytes)});
  return address;
}

uint64_t Memory::allocate(std::span<const std::byte> bytes, std::string name) {
  const uint64_t address = add(bytes.size(), std::move(name));
  write(address, bytes);
  return address;
}

uint64_t Memory::allocate(size_t bytes, std::string name) { return add(bytes, std::move(name)); }

void Memory::adopt(uint64_t address, std::span<const std::byte> bytes, std::string name) {
  const uint64_t next = next_;
  next_ = address;
  allocate(bytes, std::move(name));
  next_ = std::max(next_, next);
}

void Memory::release(uint64_t address) {
  if (allocations_.erase(address) == 0) {
    fail(fmt::format("release of {:#x}, which is the address of no allocation", address));
  }
}

size_t Memory::bytes_of(uint64_t address) const {
  const auto found = allocations_.find(address);
  if (found == allocations_.end()) {
    fail(fmt::format("{:#x} is the address of no allocation", address));
  }
  return found->second.bytes.size();
}

Memory::Place Memory::find(uint64_t address, size_t bytes) const {
  auto after = allocations_.upper_bound(address);
  const auto before = after == allocations_.begin() ? allocations_.end() : std::prev(after);
  if (before == allocations_.end() ||
      address - before->first > before->second.bytes.size() + kGap) {
    trouble("{} bytes at global address {:#x}, which is near no allocation", bytes, address);
  }
  auto& [begin, allocation] = *before;
  const uint64_t offset = address - begin, size = allocation.bytes.size();
  if (offset > size || bytes > size - offset) {
    trouble("{} bytes at global address {:#x}, which is offset {} of '{}', wanted an end at {}",
            bytes, address, offset, allocation.name, size);
  }
  return {&allocation, offset};
}

Memory::Place Memory::find_for_host(uint64_t address, size_t bytes) const {
  try {
    return find(address, bytes);
  } catch (const Trouble& found) {
    fail(found.what);
  }
}

void Memory::write(uint64_t address, std::span<const std::byte> bytes) {
  const auto [allocation, offset] = find_for_host(address, bytes.size());
  std::copy(bytes.begin(), bytes.end(), allocation->bytes.begin() + offset);
  std::fill_n(allocation->state.begin() + offset, bytes.size(), kWritten);
}

void Memory::fill(uint64_t address, size_t bytes, std::byte value) {
  const auto [allocation, offset] = find_for_host(address, bytes);
  std::fill_n(allocation->bytes.begin() + offset, bytes, value);
  std::fill_n(allocation->state.begin() + offset, bytes, kWritten);
}

std::vector<std::byte> Memory::read(uint64_t address, size_t bytes) const {
  const auto [allocation, offset] = find_for_host(address, bytes);
  const auto begin = allocation->bytes.begin() + static_cast<std::ptrdiff_t>(offset);
  return {begin, begin + static_cast<std::ptrdiff_t>(bytes)};
}

size_t Memory::unwritten(uint64_t address, size_t bytes) const {
  const auto [allocation, offset] = find_for_host(address, bytes);
  return static_cast<size_t>(std::count(allocation->state.begin() + offset,
                                        allocation->state.begin() + offset + bytes, uint8_t{0}));
}

void Memory::begin_launch(std::span<const std::byte> module_variables) {
  for (auto& [address, allocation] : allocations_) {
    for (uint8_t& state : allocation.state) state &= kWritten;
  }
  if (module_variables.empty()) return;
  Allocation image{"variables of the module", {}, {}};
  image.bytes.assign(module_variables.begin(), module_variables.end());
  image.state.assign(module_variables.size(), kWritten);
  allocations_.insert_or_assign(kModuleVariables, std::move(image));
}

void Memory::end_launch() { allocations_.erase(kModuleVariables); }

void Memory::load(uint64_t address, size_t bytes, size_t alignment, bool read_only, std::byte* to) {
  const auto [allocation, offset] = find(address, bytes);
  if (address % alignment != 0) {
    trouble("global address {:#x} (offset {} of '{}'), wanted a multiple of {}", address, offset,
            allocation->name, alignment);
  }
  const uint8_t* state = allocation->state.data() + offset;
  for (size_t i = 0; i < bytes; ++i) {
    if (state[i] == 0) trouble("byte {} of '{}' was never written", offset + i, allocation->name);
    if (read_only && (state[i] & kWrittenInThisLaunch) != 0) {
      trouble(".nc of byte {} of '{}', which this launch wrote", offset + i, allocation->name);
    }
  }
  std::memcpy(to, allocation->bytes.data() + offset, bytes);
}

void Memory::store(uint64_t address, size_t bytes, size_t alignment, const std::byte* from) {
  const auto [allocation, offset] = find(address, bytes);
  if (address % alignment != 0) {
    trouble("global address {:#x} (offset {} of '{}'), wanted a multiple of {}", address, offset,
            allocation->name, alignment);
  }
  std::memcpy(allocation->bytes.data() + offset, from, bytes);
  std::memset(allocation->state.data() + offset, kWritten | kWrittenInThisLaunch, bytes);
}

}  // namespace gatefold::ptx
