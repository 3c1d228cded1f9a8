#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "tests/ptx/memory.h"
#include "tests/ptx/shared_memory.h"

namespace gatefold::ptx {

/// One cp.async: `given` bytes of the source, then zeros up to `bytes`.
struct AsyncCopy {
  uint64_t to = 0, from = 0;
  uint8_t bytes = 0, given = 0;
  std::array<std::byte, 16> data{};
};

/// The copies of a block's threads, each in the group that its thread committed it to. A copy lands
/// when its thread waits for it, which is the latest that hardware may take.
class AsyncCopies {
 public:
  AsyncCopies(uint32_t threads, Memory& memory, SharedMemory& shared)
      : threads_(threads), memory_(memory), shared_(shared) {}

  void issue(const Party& who, AsyncCopy copy);
  void commit(const Party& who);
  /// Until at most `groups` of the committed ones are pending.
  void wait_for_groups(const Party& who, uint64_t groups);
  void wait_for_all(const Party& who);

  /// How many copies were left pending, which are forgotten.
  uint64_t end_block();

 private:
  struct Queue {
    std::deque<AsyncCopy> copies;  ///< in the order of their groups, the open one last
    std::deque<uint32_t> groups;   ///< how many copies each committed one has
    uint32_t open = 0;
  };

  void land(const Party& who, const AsyncCopy& copy);

  std::vector<Queue> threads_;
  Memory& memory_;
  SharedMemory& shared_;
};

}  // namespace gatefold::ptx
