#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "gatefold/gatefold.hpp"
#include "runtime/reference/compare.h"
#include "tests/runtime/fake_library.h"

namespace gatefold::test {

/// Random values of the library's dtype, as f32 and as stored.
struct Values {
  std::vector<float> f32;
  std::vector<uint8_t> stored;
  gf_dtype dtype = GF_F32;

  const void* data() const { return stored.data(); }
};
Values random_values(int64_t count, gf_dtype dtype, float scale, uint32_t seed);

/// A fake library with weights and its reference.
class Block {
 public:
  explicit Block(FakeOptions options, uint32_t seed = 1);

  gf_ffn_weights weights() const;
  /// Tensor of one matrix, dense [out, in].
  gf_tensor matrix(int which) const;
  Library link() const { return Library::link(&fake.table); }
  Ffn make(int threads = 1) const;

  Values input(int64_t rows, uint32_t seed = 7) const;
  ReferenceResult expected(const Values& x, int64_t rows, const Values* residual = nullptr) const;
  Comparison run_and_compare(Ffn& ffn, int64_t rows) const;
  Tolerance limits() const;

  /// y as stored bytes, dense.
  std::vector<uint8_t> run(Ffn& ffn, const Values& x, int64_t rows) const;
  int64_t element_bytes() const { return fake.options.dtype == GF_F32 ? 4 : 2; }

  mutable FakeLibrary fake;
  Library library;
  Values matrices[3];
  Values biases[3];
};

std::vector<float> widened(const std::vector<uint8_t>& stored, gf_dtype dtype);

/// Describes dense rows.
gf_rows rows_of(void* data, gf_dtype dtype, int64_t rows, int64_t cols, int64_t row_stride = 0);

#define EXPECT_STATUS(call, wanted) \
  EXPECT_STREQ(gf_status_name(call), gf_status_name(wanted)) << gf_last_error()
#define ASSERT_STATUS(call, wanted) \
  ASSERT_STREQ(gf_status_name(call), gf_status_name(wanted)) << gf_last_error()

}  // namespace gatefold::test
