#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstring>

#include "tests/cuda_runtime/device_block.h"

namespace gatefold::test {

/// Each test leaves the driver as it found it, and has done nothing that a driver minds.
class CudaTest : public testing::Test {
 protected:
  void SetUp() override {
    unsetenv("GATEFOLD_ISA");
    gf_isa_usable("cuda-sm80");  // loads the driver, which a process does once
    fake_cuda().reset();
    stack_ = fake_cuda().context_stack();
  }
  void TearDown() override { expect_clean(); }

  void expect_clean() {
    EXPECT_THAT(fake_cuda().complaints(), testing::IsEmpty());
    EXPECT_THAT(fake_cuda().held(), testing::IsEmpty());
    EXPECT_EQ(fake_cuda().context_stack(), stack_);
  }

  std::vector<void*> stack_;
};

/// Rows in device memory, at any distance from an aligned address.
class DeviceRows {
 public:
  DeviceRows(const Values& values, int64_t rows, int64_t cols, int64_t stride, size_t offset = 0)
      : rows_(rows_of(nullptr, values.dtype, rows, cols, stride)), offset_(offset) {
    const size_t size = element();
    address_ = fake_cuda().allocate(static_cast<size_t>(rows * stride) * size + offset);
    for (int64_t r = 0; r < rows; ++r)
      std::memcpy(row(r), values.stored.data() + static_cast<size_t>(r * cols) * size,
                  static_cast<size_t>(cols) * size);
    rows_.data = reinterpret_cast<void*>(address_ + offset);
  }
  ~DeviceRows() { fake_cuda().free(address_); }
  DeviceRows(const DeviceRows&) = delete;
  DeviceRows& operator=(const DeviceRows&) = delete;

  const gf_rows& rows() const { return rows_; }
  gf_rows& rows() { return rows_; }

  /// The rows, dense.
  std::vector<uint8_t> read() const {
    std::vector<uint8_t> all;
    for (int64_t r = 0; r < rows_.rows; ++r) {
      const auto* from = static_cast<const uint8_t*>(row(r));
      all.insert(all.end(), from, from + static_cast<size_t>(rows_.cols) * element());
    }
    return all;
  }

 private:
  size_t element() const { return rows_.dtype == GF_F32 ? 4 : 2; }
  void* row(int64_t r) const {
    const size_t bytes = static_cast<size_t>(rows_.cols) * element();
    return fake_cuda().at(
        address_ + offset_ + static_cast<size_t>(r * rows_.row_stride) * element(), bytes);
  }

  gf_rows rows_;
  size_t offset_;
  uint64_t address_;
};

/// y as stored bytes, dense.
inline void expect_right(const Block& block, const std::vector<uint8_t>& y, const Values& x,
                         int64_t rows, const Values* residual = nullptr) {
  const FakeOptions& o = block.fake.options;
  const Comparison c =
      compare(widened(y, o.dtype), block.expected(x, rows, residual), block.limits());
  EXPECT_TRUE(acceptable(c, block.limits(), o.d_model, o.d_ff)) << c.worst;
}

inline FakeOptions bf16_options(int64_t d_model = 64, int64_t d_ff = 96) {
  FakeOptions o;
  o.dtype = GF_BF16;
  o.word_code = 4;
  o.word_bits = 16;
  o.d_model = d_model;
  o.d_ff = d_ff;
  return o;
}

}  // namespace gatefold::test
