#include "tests/ptx/shared_memory.h"

#include <cstring>

#include "tests/ptx/trouble.h"

namespace gatefold::ptx {
namespace {

constexpr uint8_t kOfVariable = 1, kWritten = 2, kPending = 4, kAtomic = 8;
constexpr uint32_t kNoWarp = ~0u;

uint32_t warp_of(uint16_t party) {
  if (party == Party::kMany) return kNoWarp;
  return party >= Party::kWarp ? party - Party::kWarp : party / 32;
}

std::string name_of(uint16_t party) {
  if (party == Party::kMany) return "several threads";
  if (party >= Party::kWarp) return fmt::format("warp {}", party - Party::kWarp);
  return fmt::format("thread {}", party);
}

}  // namespace

SharedMemory::SharedMemory(const Kernel& kernel, uint32_t dynamic_bytes) : kernel_(kernel) {
  for (const SharedVariable& variable : kernel.shared) {
    const size_t size = variable.dynamic ? dynamic_bytes : variable.bytes;
    bytes_.resize(variable.offset + size);
    states_.resize(variable.offset + size);
    for (size_t i = 0; i < size; ++i) states_[variable.offset + i].flags = kOfVariable;
  }
}

void SharedMemory::begin_block() {
  ++epoch_;
  for (State& state : states_) state.flags &= kOfVariable;
}

std::string SharedMemory::place(uint64_t address) const {
  const SharedVariable* last = nullptr;
  for (const SharedVariable& variable : kernel_.shared) {
    if (variable.offset <= address && (!last || last->offset < variable.offset)) last = &variable;
  }
  if (!last) return fmt::format("shared {:#x}", address);
  return fmt::format("shared {:#x} ({} + {})", address, last->name, address - last->offset);
}

SharedMemory::State* SharedMemory::find(uint64_t address, size_t bytes, size_t alignment) {
  if (address > states_.size() || bytes > states_.size() - address) {
    trouble("{} bytes at {}, wanted an end at {:#x}", bytes, place(address), states_.size());
  }
  if (address % alignment != 0) trouble("{}, wanted a multiple of {}", place(address), alignment);
  State* states = states_.data() + address;
  for (size_t i = 0; i < bytes; ++i) {
    if ((states[i].flags & kOfVariable) == 0) {
      trouble("{} bytes at {} are not all in one variable", bytes, place(address));
    }
  }
  return states;
}

bool SharedMemory::races(const Mark& mark, const Party& who) const {
  if (mark.epoch != epoch_) return false;
  if (mark.party == who.name && who.name < Party::kWarp) return false;
  return warp_of(mark.party) != who.warp || mark.warp_epoch >= who.warp_epoch;
}

/// Afterwards the mark stands for what it stood for in this epoch, and for `who`.
void SharedMemory::join(Mark& mark, const Party& who) const {
  if (!races(mark, who)) {
    mark = {epoch_, who.name, who.warp_epoch};
  } else if (warp_of(mark.party) == who.warp) {
    mark.party = static_cast<uint16_t>(Party::kWarp | who.warp);
    mark.warp_epoch = who.warp_epoch;
  } else {
    mark.party = Party::kMany;
  }
}

void SharedMemory::refuse_race(uint64_t address, const Mark& mark, const Party& who,
                               const char* now, const char* before) const {
  trouble("race: {} {} {}, which {} {} since the last barrier; wanted a barrier between",
          name_of(who.name), now, place(address), name_of(mark.party), before);
}

void SharedMemory::refuse_pending(uint64_t address, const State& state) const {
  trouble("{} is still being copied by cp.async of {}; wanted cp.async.wait_group before",
          place(address), name_of(state.write.party));
}

void SharedMemory::load(const Party& who, uint64_t address, size_t bytes, size_t alignment,
                        std::byte* to) {
  State* states = find(address, bytes, alignment);
  for (size_t i = 0; i < bytes; ++i) {
    State& state = states[i];
    if ((state.flags & kPending) != 0) refuse_pending(address + i, state);
    if ((state.flags & kWritten) == 0) trouble("{} was never written", place(address + i));
    if (races(state.write, who)) {
      refuse_race(address + i, state.write, who, "reads", "wrote");
    }
    join(state.read, who);
  }
  std::memcpy(to, bytes_.data() + address, bytes);
}

void SharedMemory::store(const Party& who, uint64_t address, size_t bytes, size_t alignment,
                         const std::byte* from) {
  State* states = find(address, bytes, alignment);
  for (size_t i = 0; i < bytes; ++i) {
    State& state = states[i];
    if ((state.flags & kPending) != 0) refuse_pending(address + i, state);
    if (races(state.read, who)) refuse_race(address + i, state.read, who, "writes", "read");
    // The same value twice is no race that anybody could see: shifted tails do that.
    const bool same =
        (state.flags & (kWritten | kAtomic)) == kWritten && bytes_[address + i] == from[i];
    if (races(state.write, who) && !same) {
      refuse_race(address + i, state.write, who, "writes", "wrote");
    }
    join(state.write, who);
    state.flags = kOfVariable | kWritten;
  }
  std::memcpy(bytes_.data() + address, from, bytes);
}

void SharedMemory::load_for_atomic(const Party& who, uint64_t address, size_t bytes,
                                   std::byte* to) {
  State* states = find(address, bytes, bytes);
  for (size_t i = 0; i < bytes; ++i) {
    State& state = states[i];
    if ((state.flags & kPending) != 0) refuse_pending(address + i, state);
    if ((state.flags & kWritten) == 0) trouble("{} was never written", place(address + i));
    if (races(state.read, who)) refuse_race(address + i, state.read, who, "adds to", "read");
    if (races(state.write, who) && (state.flags & kAtomic) == 0) {
      refuse_race(address + i, state.write, who, "adds to", "wrote");
    }
  }
  std::memcpy(to, bytes_.data() + address, bytes);
}

void SharedMemory::store_of_atomic(const Party& who, uint64_t address, size_t bytes,
                                   const std::byte* from) {
  for (size_t i = 0; i < bytes; ++i) {
    join(states_[address + i].write, who);
    states_[address + i].flags |= kAtomic;
  }
  std::memcpy(bytes_.data() + address, from, bytes);
}

void SharedMemory::begin_copy(const Party& who, uint64_t address, size_t bytes) {
  State* states = find(address, bytes, bytes);
  for (size_t i = 0; i < bytes; ++i) {
    State& state = states[i];
    if ((state.flags & kPending) != 0) refuse_pending(address + i, state);
    if (races(state.read, who)) refuse_race(address + i, state.read, who, "copies to", "read");
    if (races(state.write, who)) refuse_race(address + i, state.write, who, "copies to", "wrote");
    state.write = {epoch_, who.name, who.warp_epoch};
    state.flags |= kPending;
  }
}

void SharedMemory::land_copy(const Party& who, uint64_t address, size_t bytes,
                             const std::byte* from) {
  for (size_t i = 0; i < bytes; ++i) {
    State& state = states_[address + i];
    state.write = {epoch_, who.name, who.warp_epoch};
    state.flags = kOfVariable | kWritten;
  }
  std::memcpy(bytes_.data() + address, from, bytes);
}

}  // namespace gatefold::ptx
