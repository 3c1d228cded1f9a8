#include "tests/ptx/warp.h"

#include <algorithm>

namespace gatefold::ptx {

Warp::Warp(Block& block, uint32_t index)
    : block_(block), index_(index), registers_(block.kernel.slots) {
  const uint32_t lanes = std::min(block.threads - index * kLanes, uint32_t{kLanes});
  all_ = lanes == kLanes ? kAllLanes : (uint32_t{1} << lanes) - 1;
}

void Warp::begin_block() {
  registers_.forget();
  set_up_slots();
  live_ = active_ = all_;
  pc_ = 0;
  warp_epoch_ = 0;
  executed_ = matrix_products_ = async_copies_ = 0;
  state_ = State::running;
}

void Warp::set_up_slots() {
  for (const auto& [slot, value] : block_.kernel.constants) {
    std::fill_n(registers_.row(slot), kLanes, value);
    registers_.written(slot) = kAllLanes;
  }
  for (const auto& [slot, what] : block_.kernel.specials) {
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      registers_.row(slot)[lane] = special(what, index_ * kLanes + lane);
    }
    registers_.written(slot) = kAllLanes;
  }
}

uint64_t Warp::special(Special special, uint32_t thread) const {
  const uint32_t lane = thread % kLanes, bit = uint32_t{1} << lane;
  const auto tid = block_.place_of(thread);
  const auto &ntid = block_.launch.block, &ctaid = block_.index, &nctaid = block_.launch.grid;
  switch (special) {
    case Special::tid_x:
      return tid[0];
    case Special::tid_y:
      return tid[1];
    case Special::tid_z:
      return tid[2];
    case Special::ntid_x:
      return ntid[0];
    case Special::ntid_y:
      return ntid[1];
    case Special::ntid_z:
      return ntid[2];
    case Special::ctaid_x:
      return ctaid[0];
    case Special::ctaid_y:
      return ctaid[1];
    case Special::ctaid_z:
      return ctaid[2];
    case Special::nctaid_x:
      return nctaid[0];
    case Special::nctaid_y:
      return nctaid[1];
    case Special::nctaid_z:
      return nctaid[2];
    case Special::laneid:
      return lane;
    case Special::warpid:
      return thread / kLanes;
    case Special::nwarpid:
      return (block_.threads + kLanes - 1) / kLanes;
    case Special::lanemask_eq:
      return bit;
    case Special::lanemask_lt:
      return bit - 1;
    case Special::lanemask_le:
      return bit | (bit - 1);
    case Special::lanemask_gt:
      return static_cast<uint32_t>(~(bit | (bit - 1)));
    case Special::lanemask_ge:
      return static_cast<uint32_t>(~(bit - 1));
  }
  trouble("no special register");
}

void Warp::run() {
  state_ = State::running;
  while (state_ == State::running) {
    if (active_ != live_) regroup();
    const size_t place = pc_;
    uint32_t mask = active_;
    try {
      advance(mask);
    } catch (const Trouble& found) {
      const int first = std::countr_zero(mask != 0 ? mask : active_);
      block_.fault(place, thread(found.lane >= 0 ? found.lane : first), found.what);
    }
  }
}

/// `mask`: becomes the lanes that execute the next instruction.
void Warp::advance(uint32_t& mask) {
  if (pc_ == block_.kernel.code.size()) return end(active_);
  if (++executed_ > block_.launch.most_instructions) {
    trouble("the warp executed {} instructions and goes on: it seems never to end", executed_ - 1);
  }
  const Instruction& in = block_.kernel.code[pc_];
  if (in.guard >= 0) mask = guarded();
  step(in, mask);
}

uint32_t Warp::guarded() {
  const Instruction& in = block_.kernel.code[pc_];
  const auto slot = static_cast<uint32_t>(in.guard);
  const uint32_t lack = active_ & ~registers_.written(slot);
  if (lack != 0) trouble_of(std::countr_zero(lack), "the guard was never written");
  const uint64_t* row = registers_.row(slot);
  uint32_t mask = 0;
  for_lanes(active_,
            [&](int i) { mask |= uint32_t{((row[i] & 1) != 0) != in.guard_negated} << i; });
  return mask;
}

void Warp::regroup() {
  for_lanes(active_, [&](int i) { parked_[i] = pc_; });
  pc_ = ~size_t{0};
  for_lanes(live_, [&](int i) { pc_ = std::min(pc_, parked_[i]); });
  active_ = 0;
  for_lanes(live_, [&](int i) { active_ |= uint32_t{parked_[i] == pc_} << i; });
}

void Warp::step(const Instruction& in, uint32_t mask) {
  switch (in.op) {
    case Op::bra:
      return branch(in, mask);
    case Op::ret:
    case Op::exit:
      ++pc_;
      return end(mask);
    case Op::bar_sync:
      if (mask != 0) wait_at_barrier(in, mask);
      break;
    default:
      if (mask != 0) execute(in, mask);
      break;
  }
  ++pc_;
}

void Warp::branch(const Instruction& in, uint32_t taken) {
  const auto target = static_cast<size_t>(in.operands[0].offset);
  if (taken == 0 || taken == active_) {
    pc_ = taken == 0 ? pc_ + 1 : target;
    return;
  }
  if (in.has(Group::uniform)) trouble("bra.uni is taken by some threads of the warp only");
  for_lanes(active_, [&](int i) { parked_[i] = (taken >> i & 1) != 0 ? target : pc_ + 1; });
  active_ = 0;  // the next step picks a group
}

void Warp::end(uint32_t lanes) {
  live_ &= ~lanes;
  active_ &= ~lanes;
  if (live_ == 0) state_ = State::ended;
}

/// Also of threads that have ended: hardware may not count them, or hang.
void Warp::wait_at_barrier(const Instruction& in, uint32_t mask) {
  want_written(in, mask);
  const uint32_t lack = all_ & ~mask;
  if (lack != 0) {
    const int lane = std::countr_zero(lack);
    trouble_of(lane, "{} of the warp's {} threads are at the barrier, wanted all: this one {}",
               std::popcount(mask), std::popcount(all_),
               (live_ >> lane & 1) != 0 ? "is elsewhere" : "has ended");
  }
  barrier_ = static_cast<uint32_t>(registers_.row(in.slot(0))[0]);
  if (in.operands_given == 2) {
    const auto wanted = static_cast<uint32_t>(registers_.row(in.slot(1))[0]);
    if (wanted != block_.threads) {
      trouble("a barrier of {} threads, the interpreter has those of the whole block, {}", wanted,
              block_.threads);
    }
  }
  state_ = State::at_barrier;
}

}  // namespace gatefold::ptx
