#pragma once

#include <set>
#include <string>
#include <vector>

#include "spec/ffn_spec.h"

namespace gatefold::test {

/// A kernel with the default packing and point.
KernelSpec default_kernel(const FfnSpec& ffn, Target target, const RowBucket& rows);

/// The whole assembly of a kernel (AT&T syntax, as LLVM writes it).
std::string assembly_of(const KernelSpec& kernel);

/// What the body of a loop does.
struct Loop {
  std::string label;
  std::vector<std::string> instructions;
  bool has_frame = false;  ///< its function uses rbp for its stack frame

  int multiply_adds() const;                   ///< vfmadd*, vfnmadd* and the like, packed single
  int bf16_dots() const;                       ///< vdpbf16ps
  std::set<std::string> accumulators() const;  ///< the registers these add to
  std::vector<std::string> stack_references() const;
  std::vector<std::string> gathers() const;  ///< and scatters
  std::vector<std::string> stores() const;
  std::string text() const;
};

/// The innermost loops of one block: it ends with a jump to its own label.
std::vector<Loop> innermost_loops(const std::string& assembly);

/// Those among them that multiply matrices: at least half the multiply-adds of the largest one.
std::vector<Loop> hot_loops(const std::string& assembly);

/// What the assembler says when it may use only what `target` demands of a CPU (the features that
/// runtime/cpu_features.cpp looks for); empty if it accepts everything.
std::string beyond_target(const std::string& assembly, Target target);

}  // namespace gatefold::test
