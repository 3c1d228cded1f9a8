#pragma once

#include "generator/mlir/builder.h"
#include "generator/mlir/scalar_program.h"

namespace gatefold {

/// Appends the program's instructions and gives its result. Nothing in them becomes a call: real
/// arithmetic is strict, and conversions to integers saturate as the program says.
Value emit(Builder& builder, const ScalarProgram& program, const Values& arguments);

}  // namespace gatefold
