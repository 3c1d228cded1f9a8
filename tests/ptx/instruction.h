#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace gatefold::ptx {

// clang-format off
enum class Type : uint8_t {
  none, b8, b16, b32, b64, u8, u16, u32, u64, s8, s16, s32, s64,
  f16, f16x2, bf16, bf16x2, tf32, f32, f64, pred, u16x2, s16x2
};

enum class Op : uint8_t {
  mov, cvta, cvta_to, ld, st, atom, red,
  add, sub, mul, mad, fma, div, rem, neg, abs, min, max,
  bit_and, bit_or, bit_xor, bit_not, shl, shr, bfe, bfi, prmt, lop3, shf, popc, clz, brev,
  ex2, lg2, rcp, sqrt, rsqrt, sin, cos, tanh, copysign, testp,
  setp, set, selp, cvt,
  bra, ret, exit, trap,
  bar_sync, bar_warp_sync, fence, shfl, vote, activemask,
  cp_async, cp_async_commit, cp_async_wait_group, cp_async_wait_all,
  ldmatrix, mma
};

/// Modifiers that exclude each other form a group; an instruction has at most one of each. Its
/// names are in instruction_table.cpp, in the order of the enumerators below.
enum class Group : uint8_t {
  round, integer_round, flush, saturate, relu, accuracy, propagate_nan, uniform,
  part, compare, combine, space, vector, read_only, side, shift_count,
  test, shuffle, vote, matrices, transposed, matrix_shape, a_layout, b_layout, atomic, ignored, last
};
// clang-format on
inline constexpr size_t kGroups = static_cast<size_t>(Group::last);

enum class Round : uint8_t { none, nearest_even, zero, down, up, nearest_away };
enum class Part : uint8_t { none, low, high, wide };
enum class Accuracy : uint8_t { none, approximate, full };
// clang-format off
enum class Compare : uint8_t {
  none, eq, ne, lt, le, gt, ge, lo, ls, hi, hs, equ, neu, ltu, leu, gtu, geu, num, nan
};
// clang-format on
enum class Combine : uint8_t { none, with_and, with_or, with_xor };
enum class Space : uint8_t { none, global, shared, param, constant, local };
enum class Side : uint8_t { none, left, right };
enum class ShiftCount : uint8_t { none, clamp, wrap };
enum class Test : uint8_t { none, finite, infinite, number, not_a_number, normal, subnormal };
enum class Shuffle : uint8_t { none, up, down, butterfly, index };
enum class Vote : uint8_t { none, all, any, uniform, ballot };
enum class MatrixShape : uint8_t { none, m8n8, m16n8k8, m16n8k16 };
enum class Atomic : uint8_t { none, add, min, max, exchange };

struct Operand {
  enum class Kind : uint8_t { values, address, label };
  Kind kind = Kind::values;
  bool negated = false;          ///< !%p
  bool pair = false;             ///< %a|%b
  uint8_t first = 0, count = 0;  ///< its slots in Instruction::slots
  int64_t offset = 0;            ///< of an address; of a label the instruction's index
};

/// Parsed once, compact: registers, constants and special registers are all slots of the warp.
struct Instruction {
  Op op = Op::exit;
  uint8_t types_given = 0, operands_given = 0, slots_given = 0;
  bool guard_negated = false;
  int32_t guard = -1;  ///< the slot of @p
  int line = 0;
  std::array<Type, 4> types{};
  std::array<uint8_t, kGroups> modifiers{};
  uint16_t sources = 0;  ///< bit i: slots[i] is read
  std::array<Operand, 5> operands{};
  std::array<uint32_t, 16> slots{};

  Type type() const { return types[0]; }
  template <typename Enum = uint8_t>
  Enum modifier(Group group) const {
    return static_cast<Enum>(modifiers[static_cast<size_t>(group)]);
  }
  bool has(Group group) const { return modifiers[static_cast<size_t>(group)] != 0; }
  bool flushes() const { return has(Group::flush); }
  Space space() const { return modifier<Space>(Group::space); }
  Round round() const { return modifier<Round>(Group::round); }
  uint32_t slot(int operand, int element = 0) const {
    return slots[operands[operand].first + element];
  }
};

/// The slot of `_`: written, never read.
inline constexpr uint32_t kSink = 0;

int bits_of(Type type);
bool is_signed(Type type);
bool is_integer(Type type);  ///< u, s and b
bool is_float(Type type);    ///< scalar ones
bool is_half(Type type);     ///< 16-bit floats, single or in pairs
bool is_pair(Type type);     ///< of floats
bool is_integer_pair(Type type);
std::string_view name_of(Type type);

}  // namespace gatefold::ptx
