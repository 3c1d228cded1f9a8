#include "accuracy/guarded_output.h"

#include <algorithm>
#include <cstring>

namespace gatefold {
namespace {

constexpr uint8_t kGuardByte = 0xa5;
constexpr uint8_t kPoisonByte = 0xff;  // all ones is a NaN in f32, bf16 and f16

int element_bytes(gf_dtype dtype) { return dtype == GF_F32 ? 4 : 2; }

/// Not all exponent bits set: neither infinite nor NaN. bf16 is the upper half of an f32.
bool is_finite(const uint8_t* element, gf_dtype dtype) {
  const uint16_t exponent = dtype == GF_F16 ? 0x7c00u : 0x7f80u;
  uint16_t high = 0;
  std::memcpy(&high, element + (dtype == GF_F32 ? 2 : 0), sizeof high);
  return (high & exponent) != exponent;
}

}  // namespace

GuardedOutput::GuardedOutput(int64_t rows, int64_t cols, gf_dtype dtype)
    : rows_(rows), cols_(cols), dtype_(dtype) {
  memory_.assign(static_cast<size_t>(rows * cols * element_bytes(dtype)) + 2 * kGuard, kGuardByte);
  poison();
}

gf_rows GuardedOutput::rows() {
  gf_rows y = {};
  y.struct_size = sizeof y;
  y.dtype = dtype_;
  y.data = memory_.data() + kGuard;
  y.rows = rows_;
  y.cols = cols_;
  return y;
}

void GuardedOutput::poison() { std::memset(memory_.data() + kGuard, kPoisonByte, bytes()); }

std::string GuardedOutput::complaint() const {
  const auto guard = [](uint8_t byte) { return byte == kGuardByte; };
  if (!std::all_of(memory_.begin(), memory_.begin() + kGuard, guard)) return "wrote before y";
  if (!std::all_of(memory_.end() - kGuard, memory_.end(), guard)) return "wrote past the end of y";
  const int step = element_bytes(dtype_);
  for (int64_t i = 0; i < rows_ * cols_; ++i) {
    if (is_finite(data() + i * step, dtype_)) continue;
    return "row " + std::to_string(i / cols_) + " column " + std::to_string(i % cols_) +
           " was not written or is not finite";
  }
  return {};
}

}  // namespace gatefold
