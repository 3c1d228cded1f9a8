#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "gatefold/gatefold.h"
#include "spec/variant.h"
#include "tests/runtime/host_targets.h"

namespace gatefold::test {

/// What a fake library computes and how it wants its weights.
struct FakeOptions {
  const char* variant = "swiglu";
  gf_dtype dtype = GF_F32;
  bool bias = false;
  bool residual = false;
  int64_t d_model = 37;
  int64_t d_ff = 21;
  bool any = false;  ///< the table says any sizes (the kernels still know d_ff)
  gf_packing packing = {16, 1, 1, 2};
  int steps = 1;  ///< streams per matrix
  uint8_t word_code = 2;
  uint8_t word_bits = 32;
  uint8_t word_k = 1;
  std::vector<int64_t> rows = {1, 4, 16};  ///< as --rows
  std::vector<const char*> targets = {kLowestTarget};
};

/// The services that come with a call.
inline const gf_hooks& hooks_of(void* context) {
  return *static_cast<const gf_context*>(context)->hooks;
}

/// A kernel table whose kernels are plain C++: they read the packed weights through the buffers
/// that the runtime hands them, as a generated kernel would. Numbered, because a kernel is a bare
/// function; at most kMax exist at once.
class FakeLibrary {
 public:
  static constexpr int kMax = 24;

  explicit FakeLibrary(FakeOptions options = {});
  ~FakeLibrary();
  FakeLibrary(const FakeLibrary&) = delete;
  FakeLibrary& operator=(const FakeLibrary&) = delete;

  int run(void** arguments);

  gf_kernel_table table{};
  std::vector<gf_kernel> kernels;
  FakeOptions options;
  Variant variant;

  // What the next calls do, and what the last ones saw.
  std::function<int(void* context)> before_call;
  std::atomic<int> calls{0};
  std::atomic<int64_t> most_rows{0};
  std::atomic<bool> odd_fp_word{false};  ///< a task ran outside the standard environment

 private:
  void add_kernels(const char* target);

  int number_ = -1;
  std::vector<gf_weight_stream> streams_;
};

}  // namespace gatefold::test
