#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "spec/ffn_spec.h"

namespace gatefold {

/// A kernel's code judged without running it: what LLVM writes, and what `objdump -d` makes of an
/// object file. tuning/assembly_syntax.h has what differs between architectures.

/// The body of a loop.
struct Loop {
  std::string label;
  Arch arch = Arch::x86_64;
  std::vector<std::string> instructions;
  bool has_frame = false;  ///< its function uses a frame pointer

  int multiply_adds() const;                   ///< vfmadd* and the like, fmla and fmls, of vectors
  int bf16_dots() const;                       ///< vdpbf16ps, bfdot, bfmmla
  std::set<std::string> accumulators() const;  ///< the registers these add to
  std::vector<std::string> stack_references() const;
  /// Those at a fixed place: registers that were put aside. Indexed ones read an array that stands
  /// on the stack, as the hidden layer of a few rows may.
  std::vector<std::string> spills() const;
  std::vector<std::string> gathers() const;  ///< and scatters, lane by lane too
  std::vector<std::string> stores() const;
  std::vector<std::string> prefetches() const;
  std::string text() const;
};

/// The innermost loops of one block: it ends with a jump to its own label.
std::vector<Loop> innermost_loops(const std::string& assembly, Arch arch);

/// Those among them that multiply matrices: at least half the multiply-adds of the largest one.
std::vector<Loop> hot_loops(const std::string& assembly, Arch arch);

/// The same code with a label at every address that is jumped to, as hot_loops() wants it, from
/// what `objdump -d --no-show-raw-insn` prints.
std::string labelled(const std::string& disassembly, Arch arch);

/// With fewer rows the memory decides, and what waits may still be fastest.
inline constexpr int kRowsThatCompute = 8;

/// Why a kernel with this code is not worth running, e.g. "hot loop spills: 3 stack references:
/// vmovups (%rsp), %ymm0"; nothing if it may be. `core` is a micro-architecture's name; by it an
/// accumulator waits for its last multiply-add where there are too few of them.
std::optional<std::string> why_refused(const KernelSpec& kernel, const std::string& assembly,
                                       const std::string& core = {});

}  // namespace gatefold
