#pragma once

#include <string>
#include <vector>

#include "generator/mlir/scalar_program.h"
#include "spec/variant.h"

namespace Halide {
struct Expr;
}

namespace gatefold {

/// The scalar expression as a program of the f32 variables named, in their order. Arithmetic stays
/// as strict as written, or becomes stricter. Throws an Error that names the first node which has
/// no instruction: vectors, loads, calls of libraries, integer division, types other than f32, bool
/// and integers.
ScalarProgram translate(const Halide::Expr& expression, const std::vector<std::string>& variables);

/// The hidden value of a block: arguments gate and up of a gated one, up of a dense one.
ScalarProgram hidden_program(const Variant& variant);

}  // namespace gatefold
