#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gatefold {

/// f32, or an integer without a sign: operations have one.
struct ScalarType {
  bool real = false;
  int bits = 32;
  auto operator<=>(const ScalarType&) const = default;
};

inline constexpr ScalarType kF32 = {true, 32};
inline constexpr ScalarType kBool = {false, 1};

/// What an instruction does; of reals or of integers as its operands are. Arithmetic of reals is
/// strict: IEEE f32, nearest even, nothing fused or reordered, subnormals kept.
enum class ScalarOp {
  argument,  ///< number `bits`
  constant,  ///< of the bits `bits`
  add,
  subtract,
  multiply,
  divide,
  bit_and,
  bit_or,
  bit_xor,
  shift_left,
  shift_right,
  shift_right_signed,
  equal,
  not_equal,  ///< true if one is NaN, as in C; the other comparisons are false then
  less,       ///< of integers: signed
  less_equal,
  less_unsigned,
  less_equal_unsigned,
  select,  ///< first ? second : third
  reinterpret,
  to_signed,  ///< real to i32, towards zero; saturates, NaN gives 0
  from_signed,
  from_unsigned,
  truncate,
  sign_extend,
  zero_extend,
  absolute,  ///< of a real
  floor,
  ceil,
  square_root,
};

struct ScalarInstruction {
  ScalarOp op = ScalarOp::constant;
  ScalarType type;
  std::array<int, 3> operands = {-1, -1, -1};  ///< numbers of earlier instructions
  uint64_t bits = 0;
  auto operator<=>(const ScalarInstruction&) const = default;
};

/// A function of f32 arguments as a list of instructions, each once: what stands between an
/// expression of Halide's and the operations of MLIR, so that no file has to know both.
class ScalarProgram {
 public:
  /// The number of the instruction; that of an equal one if there is one.
  int append(const ScalarInstruction& instruction);

  const std::vector<ScalarInstruction>& instructions() const { return instructions_; }
  int result = -1;

 private:
  std::vector<ScalarInstruction> instructions_;
  std::map<ScalarInstruction, int> numbers_;
};

}  // namespace gatefold
