#include <sstream>

#include "generator/mlir/lowering.h"
#include "spec/error.h"

namespace gatefold {
namespace {

/// The first word that is no predicate.
std::string operation_of(const std::string& line) {
  std::istringstream words(line);
  std::string word;
  while (words >> word && word.starts_with('@')) {
  }
  return word;
}

bool may_be_fused(const std::string& operation) {
  const bool sum = operation.starts_with("add.") || operation.starts_with("sub.") ||
                   operation.starts_with("mul.") || operation.starts_with("mad.");
  return sum && operation.ends_with(".f32") && operation.find(".rn.") == operation.npos;
}

}  // namespace

void check_ptx(const std::string& ptx) {
  std::istringstream lines(ptx);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::string operation = operation_of(line);
    if (line.find(".func ") != line.npos || operation == "call" || operation.starts_with("call.")) {
      fail("PTX line " + std::to_string(number) + ": '" + line + "' is a function's; wanted none");
    }
    if (may_be_fused(operation)) {
      fail("PTX line " + std::to_string(number) + ": '" + line +
           "' has no rounding, wanted .rn: ptxas may fuse it");
    }
  }
}

}  // namespace gatefold
