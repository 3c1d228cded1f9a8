#pragma once

#include <array>
#include <cstdint>

#include "tests/ptx/address.h"
#include "tests/ptx/block.h"
#include "tests/ptx/lanes.h"

namespace gatefold::ptx {

/// Up to 32 threads in lockstep. Where they diverge those at the lowest instruction go on, which
/// brings them together again behind every branch that looks ahead.
class Warp {
 public:
  enum class State { running, at_barrier, ended };

  Warp(Block& block, uint32_t index);

  void begin_block();
  /// Until all its threads are at a barrier or have ended.
  void run();

  State state() const { return state_; }
  uint32_t index() const { return index_; }
  size_t barrier_place() const { return pc_ - 1; }  ///< while it is at one
  uint64_t barrier() const { return barrier_; }
  uint64_t instructions() const { return executed_; }
  uint64_t matrix_products() const { return matrix_products_; }
  uint64_t async_copies() const { return async_copies_; }

 private:
  void set_up_slots();
  uint64_t special(Special special, uint32_t thread) const;
  void advance(uint32_t& mask);
  uint32_t guarded();
  void regroup();
  void step(const Instruction& in, uint32_t mask);
  void execute(const Instruction& in, uint32_t mask);
  void dispatch(const Step& step);
  void want_written(const Instruction& in, uint32_t mask);
  void note_written(const Instruction& in, uint32_t mask);
  void want_all(uint32_t mask) const;
  void branch(const Instruction& in, uint32_t taken);
  void end(uint32_t lanes);
  void wait_at_barrier(const Instruction& in, uint32_t mask);

  // access.cpp, tile_access.cpp
  void execute_access(const Step& step);
  void load(const Step& step);
  void store(const Step& step);
  void load_bytes(const Step& step, int lane, Place place, size_t bytes, std::byte* to);
  void store_bytes(int lane, Place place, size_t bytes, const std::byte* from);
  void load_parameter(uint64_t address, size_t bytes, std::byte* to) const;
  void update_atomically(const Step& step);
  void wait_in_warp(const Step& step);
  void copy_async(const Step& step);
  void load_matrices(const Step& step);
  uint32_t thread(int lane) const { return index_ * kLanes + static_cast<uint32_t>(lane); }
  Party party(int lane) const { return Party::thread(thread(lane), warp_epoch_); }

  Block& block_;
  const uint32_t index_;
  Registers registers_;
  uint32_t all_ = 0, live_ = 0, active_ = 0;  ///< lanes
  size_t pc_ = 0;                             ///< of the active ones
  std::array<size_t, kLanes> parked_{};       ///< where the others are
  State state_ = State::ended;
  uint64_t barrier_ = 0;
  uint16_t warp_epoch_ = 0;
  uint64_t executed_ = 0, matrix_products_ = 0, async_copies_ = 0;
};

}  // namespace gatefold::ptx
