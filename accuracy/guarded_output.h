#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gatefold/gatefold.h"

namespace gatefold {

/// Room for y between two guard zones. What a kernel leaves out stays NaN, what it writes outside
/// is seen.
class GuardedOutput {
 public:
  GuardedOutput(int64_t rows, int64_t cols, gf_dtype dtype);

  gf_rows rows();
  void poison();
  const uint8_t* data() const { return memory_.data() + kGuard; }
  size_t bytes() const { return memory_.size() - 2 * kGuard; }

  /// What is wrong with it; empty if nothing is: guards written to, or values that are not finite.
  std::string complaint() const;

 private:
  static constexpr size_t kGuard = 4096;

  int64_t rows_, cols_;
  gf_dtype dtype_;
  std::vector<uint8_t> memory_;
};

}  // namespace gatefold
