#include <cstring>

#include "tests/ptx/address.h"
#include "tests/ptx/warp.h"

namespace gatefold::ptx {
namespace {

uint64_t extended(Type type, uint64_t bits) {
  if (type == Type::s8) return static_cast<uint64_t>(int64_t{static_cast<int8_t>(bits)});
  if (type == Type::s16) return static_cast<uint64_t>(int64_t{static_cast<int16_t>(bits)});
  if (type == Type::s32) return static_cast<uint64_t>(int64_t{static_cast<int32_t>(bits)});
  return bits;
}

template <typename T>
uint64_t updated(Atomic how, uint64_t old, uint64_t operand) {
  const T a = value_as<T>(old), b = value_as<T>(operand);
  switch (how) {
    case Atomic::add:
      return bits_as(static_cast<T>(a + b));
    case Atomic::min:
      return bits_as(a < b ? a : b);
    case Atomic::max:
      return bits_as(a < b ? b : a);
    case Atomic::exchange:
      return operand;
    case Atomic::none:
      break;
  }
  trouble("no atomic operation is given");
}

uint64_t updated(const Instruction& in, uint64_t old, uint64_t operand) {
  const auto how = in.modifier<Atomic>(Group::atomic);
  switch (in.type()) {
    case Type::f32:
      return updated<float>(how, old, operand);
    case Type::s32:
      return updated<int32_t>(how, old, operand);
    case Type::s64:
      return updated<int64_t>(how, old, operand);
    case Type::u64:
      return updated<uint64_t>(how, old, operand);
    default:
      return updated<uint32_t>(how, old, operand);
  }
}

}  // namespace

void Warp::execute_access(const Step& step) {
  switch (step.in.op) {
    case Op::ld:
      return load(step);
    case Op::st:
      return store(step);
    case Op::atom:
    case Op::red:
      return update_atomically(step);
    case Op::cvta:
    case Op::cvta_to:
      return execute_cvta(step);
    case Op::ldmatrix:
      return load_matrices(step);
    case Op::cp_async:
      return copy_async(step);
    case Op::cp_async_commit:
      return for_lanes_named(step.mask, [&](int i) { block_.copies.commit(party(i)); });
    case Op::cp_async_wait_group:
      return for_lanes_named(step.mask, [&](int i) {
        block_.copies.wait_for_groups(party(i), uint32_t(step.row(0)[i]));
      });
    case Op::cp_async_wait_all:
      return for_lanes_named(step.mask, [&](int i) { block_.copies.wait_for_all(party(i)); });
    case Op::bar_warp_sync:
      return wait_in_warp(step);
    default:
      return;  // fences: blocks and warps run one after the other
  }
}

void Warp::load_parameter(uint64_t address, size_t bytes, std::byte* to) const {
  const std::vector<std::byte>& all = block_.parameters;
  if (address > all.size() || bytes > all.size() - address) {
    trouble("{} bytes at offset {} of the parameters, which are {} bytes", bytes, address,
            all.size());
  }
  if (address % bytes != 0) {
    trouble("offset {} of the parameters, wanted a multiple of {}", address, bytes);
  }
  std::memcpy(to, all.data() + address, bytes);
}

void Warp::load_bytes(const Step& step, int lane, Place place, size_t bytes, std::byte* to) {
  switch (place.space) {
    case Space::shared:
      return block_.shared.load(party(lane), place.address, bytes, bytes, to);
    case Space::local:
      return block_.local.load(thread(lane), place.address, bytes, to);
    case Space::param:
      return load_parameter(place.address, bytes, to);
    case Space::none:
    case Space::global:
    case Space::constant:
      return block_.memory.load(place.address, bytes, bytes, step.in.has(Group::read_only), to);
  }
}

void Warp::store_bytes(int lane, Place place, size_t bytes, const std::byte* from) {
  if (place.space == Space::shared) {
    return block_.shared.store(party(lane), place.address, bytes, bytes, from);
  }
  if (place.space == Space::local) {
    return block_.local.store(thread(lane), place.address, bytes, from);
  }
  block_.memory.store(place.address, bytes, bytes, from);
}

void Warp::load(const Step& step) {
  const size_t width = static_cast<size_t>(bits_of(step.in.type())) / 8;
  const int count = step.in.operands[0].count;
  for_lanes_named(step.mask, [&](int i) {
    std::array<std::byte, 32> bytes;
    load_bytes(step, i, place_of(step, 1, i), width * static_cast<size_t>(count), bytes.data());
    for (int k = 0; k < count; ++k) {
      uint64_t value = 0;
      std::memcpy(&value, bytes.data() + width * static_cast<size_t>(k), width);
      step.row(0, k)[i] = extended(step.in.type(), value);
    }
  });
}

void Warp::store(const Step& step) {
  const size_t width = static_cast<size_t>(bits_of(step.in.type())) / 8;
  const int count = step.in.operands[1].count;
  for_lanes_named(step.mask, [&](int i) {
    std::array<std::byte, 32> bytes;
    for (int k = 0; k < count; ++k) {
      std::memcpy(bytes.data() + width * static_cast<size_t>(k), &step.row(1, k)[i], width);
    }
    store_bytes(i, place_of(step, 0, i), width * static_cast<size_t>(count), bytes.data());
  });
}

void Warp::update_atomically(const Step& step) {
  const bool returns = step.in.op == Op::atom;
  const int at = returns ? 1 : 0;
  const size_t width = static_cast<size_t>(bits_of(step.in.type())) / 8;
  for_lanes_named(step.mask, [&](int i) {
    const Place place = place_of(step, at, i);
    const bool shared = place.space == Space::shared;
    if (place.space == Space::local) trouble("an atomic operation on local memory");
    uint64_t old = 0;
    auto* old_bytes = reinterpret_cast<std::byte*>(&old);
    if (shared) {
      block_.shared.load_for_atomic(party(i), place.address, width, old_bytes);
    } else {
      block_.memory.load(place.address, width, width, false, old_bytes);
    }
    const uint64_t value = updated(step.in, old, step.row(at + 1)[i]);
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    if (shared) {
      block_.shared.store_of_atomic(party(i), place.address, width, bytes);
    } else {
      block_.memory.store(place.address, width, width, bytes);
    }
    if (returns) step.row(0)[i] = old;
  });
}

}  // namespace gatefold::ptx
