#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/ptx/module.h"

namespace gatefold::ptx {

/// Who touches shared memory: a thread, or a warp as a whole (ldmatrix).
struct Party {
  uint16_t name = 0, warp = 0;
  uint16_t warp_epoch = 0;  ///< how often the warp synchronised itself (bar.warp.sync)

  static Party thread(uint32_t thread, uint16_t warp_epoch) {
    return {static_cast<uint16_t>(thread), static_cast<uint16_t>(thread / 32), warp_epoch};
  }
  static Party whole_warp(uint32_t warp, uint16_t warp_epoch) {
    return {static_cast<uint16_t>(kWarp | warp), static_cast<uint16_t>(warp), warp_epoch};
  }
  static constexpr uint16_t kWarp = 0x4000, kMany = 0x8000;
};

/// The shared memory of a block. Of each byte it knows whether it belongs to a variable, was
/// written, waits for cp.async, and who wrote and read it since the last barrier: two accesses of
/// different threads to one byte without a barrier between, of which one is a store, are a race.
class SharedMemory {
 public:
  SharedMemory(const Kernel& kernel, uint32_t dynamic_bytes);

  void begin_block();
  void pass_barrier() { ++epoch_; }

  // These throw Trouble.
  void load(const Party& who, uint64_t address, size_t bytes, size_t alignment, std::byte* to);
  void store(const Party& who, uint64_t address, size_t bytes, size_t alignment,
             const std::byte* from);
  /// A read-modify-write: several threads may do it to one byte, but no other access beside it.
  void load_for_atomic(const Party& who, uint64_t address, size_t bytes, std::byte* to);
  void store_of_atomic(const Party& who, uint64_t address, size_t bytes, const std::byte* from);
  /// From here to the landing nobody may touch the bytes.
  void begin_copy(const Party& who, uint64_t address, size_t bytes);
  void land_copy(const Party& who, uint64_t address, size_t bytes, const std::byte* from);

 private:
  struct Mark {
    uint32_t epoch = 0;
    uint16_t party = 0, warp_epoch = 0;
  };
  struct State {
    Mark write, read;
    uint8_t flags = 0;
  };

  State* find(uint64_t address, size_t bytes, size_t alignment);
  bool races(const Mark& mark, const Party& who) const;
  void join(Mark& mark, const Party& who) const;
  void refuse_race(uint64_t address, const Mark& mark, const Party& who, const char* now,
                   const char* before) const;
  void refuse_pending(uint64_t address, const State& state) const;
  std::string place(uint64_t address) const;

  const Kernel& kernel_;
  std::vector<std::byte> bytes_;
  std::vector<State> states_;
  uint32_t epoch_ = 0;
};

}  // namespace gatefold::ptx
