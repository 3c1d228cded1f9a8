#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "tests/ptx/instruction.h"
#include "tests/ptx/trouble.h"

namespace gatefold::ptx {

inline constexpr int kLanes = 32;
inline constexpr uint32_t kAllLanes = ~uint32_t{0};

/// Calls f(lane) for each bit of the mask.
template <typename F>
void for_lanes(uint32_t mask, F&& f) {
  if (mask == kAllLanes) {
    for (int lane = 0; lane < kLanes; ++lane) f(lane);
  } else {
    for (; mask != 0; mask &= mask - 1) f(std::countr_zero(mask));
  }
}

/// The same where f may find trouble: that is then of the lane it was called for.
template <typename F>
void for_lanes_named(uint32_t mask, F&& f) {
  int current = -1;
  try {
    for_lanes(mask, [&](int lane) { f(current = lane); });
  } catch (Trouble& found) {
    if (found.lane < 0) found.lane = current;
    throw;
  }
}

/// A row of 32 values for every slot. Values are read at the width of the instruction's type, so
/// the bits above it may be anything.
class Registers {
 public:
  explicit Registers(uint32_t slots) : values_(size_t{slots} * kLanes), written_(slots) {}

  uint64_t* row(uint32_t slot) { return values_.data() + size_t{slot} * kLanes; }
  uint32_t& written(uint32_t slot) { return written_[slot]; }
  void forget() { written_.assign(written_.size(), 0); }

 private:
  std::vector<uint64_t> values_;
  std::vector<uint32_t> written_;  ///< lanes
};

/// One instruction for the lanes that execute it.
struct Step {
  const Instruction& in;
  uint32_t mask;
  Registers& registers;

  uint64_t* row(int operand, int element = 0) const {
    return registers.row(in.slot(operand, element));
  }
};

template <typename T>
T value_as(uint64_t bits) {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<double>(bits);
  } else {
    return static_cast<T>(bits);
  }
}

template <typename T>
uint64_t bits_as(T value) {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<uint32_t>(value);
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<uint64_t>(value);
  } else {
    return static_cast<std::make_unsigned_t<T>>(value);
  }
}

/// Operand 0 becomes f of the operands 1 …, each read as a T.
template <typename T, typename F>
void map_unary(const Step& step, F&& f) {
  uint64_t* to = step.row(0);
  const uint64_t* a = step.row(1);
  for_lanes(step.mask, [&](int i) { to[i] = bits_as<T>(f(value_as<T>(a[i]))); });
}

template <typename T, typename F>
void map_binary(const Step& step, F&& f) {
  uint64_t* to = step.row(0);
  const uint64_t *a = step.row(1), *b = step.row(2);
  for_lanes(step.mask, [&](int i) { to[i] = bits_as<T>(f(value_as<T>(a[i]), value_as<T>(b[i]))); });
}

template <typename T, typename F>
void map_ternary(const Step& step, F&& f) {
  uint64_t* to = step.row(0);
  const uint64_t *a = step.row(1), *b = step.row(2), *c = step.row(3);
  for_lanes(step.mask, [&](int i) {
    to[i] = bits_as<T>(f(value_as<T>(a[i]), value_as<T>(b[i]), value_as<T>(c[i])));
  });
}

/// Calls f with a value of the C++ type that an integer type of PTX is; words are unsigned.
template <typename F>
void with_integer(Type type, F&& f) {
  switch (type) {
    case Type::b8:
    case Type::u8:
      return f(uint8_t{});
    case Type::b16:
    case Type::u16:
      return f(uint16_t{});
    case Type::b32:
    case Type::u32:
      return f(uint32_t{});
    case Type::b64:
    case Type::u64:
      return f(uint64_t{});
    case Type::s8:
      return f(int8_t{});
    case Type::s16:
      return f(int16_t{});
    case Type::s32:
      return f(int32_t{});
    case Type::s64:
      return f(int64_t{});
    default:
      trouble("{} is no integer type", name_of(type));
  }
}

// Each computes operand 0 of one family of instructions.
void execute_integer(const Step& step);
void execute_bits(const Step& step);
void execute_float(const Step& step);
void execute_half(const Step& step);
void execute_function(const Step& step);
void execute_comparison(const Step& step);
void execute_conversion(const Step& step);
void execute_move(const Step& step);
void execute_exchange(const Step& step);  ///< shfl, vote, activemask
void execute_matrix_product(const Step& step);

}  // namespace gatefold::ptx
