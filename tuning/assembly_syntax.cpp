#include "tuning/assembly_syntax.h"

namespace gatefold {

const AssemblySyntax& assembly_syntax(Arch arch) {
  switch (arch) {
    case Arch::x86_64:
      break;
    case Arch::arm64:
      return arm64_assembly_syntax();
  }
  return x86_assembly_syntax();
}

std::string mnemonic(const std::string& instruction) {
  return instruction.substr(0, instruction.find_first_of(" \t"));
}

std::string first_operand(const std::string& instruction) {
  const size_t begin = instruction.find_first_not_of(" \t", mnemonic(instruction).size());
  if (begin == std::string::npos) return "";
  return instruction.substr(begin, instruction.find_first_of(", \t", begin) - begin);
}

std::string last_operand(const std::string& instruction) {
  return instruction.substr(instruction.find_last_of(", \t") + 1);
}

}  // namespace gatefold
