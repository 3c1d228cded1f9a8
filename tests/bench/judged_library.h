#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "bench/contender.h"
#include "tests/formats/files.h"

namespace gatefold::test {

/// The library that `bench` judges: swiglu 32x64 in f32, one bucket of up to 8 rows, on AVX2.
class JudgedLibrary : public testing::Test {
 protected:
  using ThreadsAndMr = std::pair<int, int>;

  void SetUp() override;
  /// A kernel for each tuned thread count, told apart by their row tiles.
  void build(const std::vector<ThreadsAndMr>& kernels);
  Contest contest(const LoadedLibrary& library, int64_t rows, int threads) const;

  std::filesystem::path emitter_, manifest_;
  bool residual_ = false;  ///< what build() makes adds one
  TempFolder folder_;
};

}  // namespace gatefold::test
