#pragma once

#include <memory>
#include <string>

namespace mlir {
class Block;
}

namespace gatefold {

/// A module of GPU kernels from its first operation to PTX.
class PtxModule {
 public:
  explicit PtxModule(int capability);  ///< 80 or 90; code runs on all chips from there on
  ~PtxModule();
  PtxModule(const PtxModule&) = delete;
  PtxModule& operator=(const PtxModule&) = delete;

  mlir::Block* body();  ///< where kernels are appended

  /// The module as PTX text of the lowest version that the chip has; the same bytes for the same
  /// operations. May be called once. Throws Error with MLIR's messages if an operation is wrong or
  /// a pass fails, and if a cast is left over, a function is called, or arithmetic is left that
  /// ptxas may fuse. LLVM may also abort the process.
  std::string ptx();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Throws Error if the text calls or declares a function, or has a sum or product of f32 without a
/// rounding, which ptxas is free to fuse.
void check_ptx(const std::string& ptx);

}  // namespace gatefold
