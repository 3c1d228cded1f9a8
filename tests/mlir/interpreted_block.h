#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "accuracy/ffn_data.h"
#include "generator/mlir/tensor_core.h"
#include "tests/ptx/interpreter.h"

namespace gatefold::test {

/// How the rows of a call lie in memory.
struct Rows {
  int64_t count = 1;
  int64_t y_gap = 0;          ///< elements between the end of a row of y and the next
  bool in_place = false;      ///< the residual is y
  std::vector<float> x = {};  ///< instead of the data's
};

struct Computed {
  std::vector<float> y;       ///< dense
  std::vector<float> hidden;  ///< [row][hidden_columns]
  int64_t hidden_columns = 0;
  bool gaps_untouched = true;  ///< of y
};

/// Runs the kernels of a block in the PTX interpreter, from memory that is laid out as the header
/// of the kernel table says. Every allocation is exactly as large as what may be touched.
class InterpretedBlock {
 public:
  InterpretedBlock(const TensorCoreKernel& kernel, const std::string& ptx, const FfnData& data);

  Computed run(const Rows& rows);

  /// For whoever launches otherwise: puts x, y and the residual into memory, and reads y.
  void prepare(const Rows& rows);
  std::vector<float> read_y(const Rows& rows, bool* gaps_untouched) const;
  uint64_t pointer(const std::string& name) const { return pointers_.at(name); }
  int32_t number(const std::string& name) const { return numbers_.at(name); }
  ptx::Memory& memory() { return memory_; }

 private:
  void upload_weights();
  uint64_t upload_x(const Rows& rows);
  void upload_y(const Rows& rows);
  void launch(const KernelEntry& entry, int64_t columns, int64_t words);
  Computed download(const Rows& rows) const;

  TensorCoreKernel kernel_;
  const FfnData& data_;
  ptx::Module module_;
  ptx::Memory memory_;
  std::map<std::string, uint64_t> pointers_;
  std::map<std::string, int32_t> numbers_;
};

/// The largest deviation from the f64 reference over the largest value of it; infinite if a finite
/// value is due where none is.
double error_of(const FfnData& data, const std::vector<float>& y, int64_t rows);

/// What error_of() may be at most.
double allowed_error(DType dtype);

}  // namespace gatefold::test
