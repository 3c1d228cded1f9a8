#pragma once

#include <cstdint>
#include <vector>

#include "gatefold/gatefold.h"
#include "runtime/reference/reference.h"
#include "spec/ffn_spec.h"

namespace gatefold {

/// Weights and inputs made from a seed: the same everywhere, and of the size that trained ones have
/// (a matrix with K inputs about 1/sqrt(K), x about 1). Held as f32, but with values that the
/// description's dtypes can express, so that library and reference see the same numbers.
class FfnData {
 public:
  FfnData(const FfnSpec& ffn, uint64_t seed, int threads);

  const FfnSpec& ffn() const { return ffn_; }
  int threads() const { return threads_; }

  /// Both valid as long as this object.
  gf_ffn_weights weights() const;
  ReferenceBlock reference_block() const;

  /// `count` rows of x from row `first`; row r is the same however many are asked for.
  std::vector<float> x(int64_t first, int64_t count) const;
  /// The same of the residual; empty if the block adds none.
  std::vector<float> residual(int64_t first, int64_t count) const;

 private:
  std::vector<float> weight(int stream, int64_t count, double deviation) const;
  std::vector<float> random(int stream, int64_t first, int64_t count, double deviation,
                            DType dtype) const;
  static gf_tensor tensor(const std::vector<float>& data, int64_t rows, int64_t cols);

  FfnSpec ffn_;
  uint64_t seed_;
  int threads_;
  std::vector<float> gate_, up_, down_, gate_bias_, up_bias_, down_bias_;
};

gf_dtype runtime_dtype(DType dtype);

/// Values in the memory format of a dtype, and back.
std::vector<uint8_t> stored_as(DType dtype, const std::vector<float>& values);
float loaded_from(DType dtype, const uint8_t* element);
std::vector<float> loaded_from(DType dtype, const uint8_t* elements, size_t count);

}  // namespace gatefold
