#pragma once

#include <string>

#include "spec/target.h"

namespace gatefold {

/// How the instructions of one architecture are read: all that assembly_check.h must know of one.
/// An instruction is a mnemonic, a tab or blanks, and operands; no comment, no blanks around it.
class AssemblySyntax {
 public:
  virtual ~AssemblySyntax() = default;

  /// What begins a comment that runs to the end of the line.
  virtual const char* comment() const = 0;
  /// Fused multiply-adds of whole vectors.
  virtual bool is_multiply_add(const std::string& instruction) const = 0;
  /// Products of bf16 pairs, added to f32.
  virtual bool is_bf16_dot(const std::string& instruction) const = 0;
  /// The register that one of these adds to.
  virtual std::string accumulator(const std::string& instruction) const = 0;
  /// Where a jump goes: a label, an address, a register; empty for other instructions and calls.
  virtual std::string jump_target(const std::string& instruction) const = 0;
  /// Whether it makes the frame pointer one: it can be a register like others, too.
  virtual bool begins_frame(const std::string& instruction) const = 0;
  /// `has_frame`: its function uses the frame pointer as one.
  virtual bool refers_to_stack(const std::string& instruction, bool has_frame) const = 0;
  /// Of those that refer to the stack: whether at a fixed place, and not into an array there.
  virtual bool at_fixed_place(const std::string& instruction) const = 0;
  /// Vectors put together or taken apart element by element.
  virtual bool is_gather(const std::string& instruction) const = 0;
  virtual bool is_store(const std::string& instruction) const = 0;
  virtual bool is_prefetch(const std::string& instruction) const = 0;
};

/// x86 in AT&T syntax, AArch64 in Arm's: what LLVM writes and `objdump -d` prints.
const AssemblySyntax& assembly_syntax(Arch arch);

/// Those of one architecture each, in a file of their own.
const AssemblySyntax& x86_assembly_syntax();
const AssemblySyntax& arm64_assembly_syntax();

std::string mnemonic(const std::string& instruction);
/// The first operand and the last one, which end at a comma or a blank.
std::string first_operand(const std::string& instruction);
std::string last_operand(const std::string& instruction);

}  // namespace gatefold
