#pragma once

#include <Halide.h>

#include <string>
#include <vector>

namespace gatefold::test {

/// An instruction of Armv8.6 that multiplies four 32-bit words with four and adds to four sums.
struct VectorFunction {
  std::string name;       ///< the mnemonic
  std::string intrinsic;  ///< LLVM's name
  bool bf16;              ///< words are pairs of bf16 and sums f32, else four bytes and i32
};

const std::vector<VectorFunction>& vector_functions();
const VectorFunction& vector_function(const std::string& name);

/// LLVM bitcode of a module that defines `gatefold_<name>x4`, which does nothing but call the
/// intrinsic.
std::vector<uint8_t> bitcode_of(const VectorFunction& function);

/// sum + what `instruction` multiplies, as a call that has a meaning for vectors of four lanes
/// only. `x` and `w` are UInt(32) words.
///
/// Halide 21 looks for an extern function of four lanes under its name and "x4" in the module that
/// it compiles. This program puts itself in the place of that look-up (vector_functions.cpp) and
/// links the bitcode above in before it.
Halide::Expr multiplied(const std::string& instruction, const Halide::Expr& sum,
                        const Halide::Expr& x, const Halide::Expr& w);

}  // namespace gatefold::test
