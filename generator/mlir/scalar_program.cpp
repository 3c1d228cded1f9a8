#include "generator/mlir/scalar_program.h"

namespace gatefold {

int ScalarProgram::append(const ScalarInstruction& instruction) {
  const auto [place, is_new] = numbers_.emplace(instruction, int(instructions_.size()));
  if (is_new) instructions_.push_back(instruction);
  return place->second;
}

}  // namespace gatefold
