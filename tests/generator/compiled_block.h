#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/reference/compare.h"
#include "tests/generator/test_block.h"

namespace gatefold::test {

/// A compiled swiglu block of sizes that fill no vector, with random weights and its reference.
class CompiledBlock {
 public:
  static constexpr int64_t kModel = 19, kHidden = 45;
  using Bytes = std::vector<uint8_t>;

  /// dtypes as FfnSpec::dtypes() gives them.
  CompiledBlock(Target target, const char* dtypes);

  int64_t size() const { return info(ffn_.act()).bytes; }  ///< of an element of x or y
  gf_dtype act() const;
  gf_rows rows(void* data, int64_t count, int64_t stride = 0) const {
    return {sizeof(gf_rows), act(), data, count, kModel, stride};
  }

  /// The weights as stored: gate, up, down.
  const Bytes& weight(int matrix) const { return stored_[matrix]; }
  Ffn make(const void* gate, const void* up, const void* down, int threads = 1) const;
  Ffn make(int threads = 1) const {
    return make(stored_[0].data(), stored_[1].data(), stored_[2].data(), threads);
  }

  Bytes input(int64_t count) const;  ///< the first rows are the same for any count
  Bytes run(Ffn& ffn, const Bytes& x) const;
  bool right(const Bytes& x, const uint8_t* y) const;  ///< as the reference, within its tolerance

 private:
  FfnSpec ffn_;
  DType hidden_;
  TemporaryFolder folder_;
  std::unique_ptr<Library> library_;
  Bytes stored_[3];
};

}  // namespace gatefold::test
