#pragma once

#include <vector>

#include "generator/mlir/scalar_program.h"

namespace gatefold::test {

/// What a program gives, instruction by instruction on this CPU.
float evaluate(const ScalarProgram& program, const std::vector<float>& arguments);

}  // namespace gatefold::test
