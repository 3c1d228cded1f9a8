#pragma once

#include <gatefold/gatefold.hpp>

#include <memory>
#include <vector>

#include "generator/library.h"
#include "schedules/space.h"
#include "tests/support/temporary_folder.h"

namespace gatefold::test {

/// Default points for a description; fails the test if a library cannot be built.
LibraryPlan default_plan(const FfnSpec& ffn, Target target, const std::vector<int64_t>& rows);

LibraryOptions options_in(const TemporaryFolder& folder);

/// f32 weights of one block, row-major [out, in]; zero unless set.
struct Weights {
  Weights(int64_t d_model, int64_t d_ff);
  int64_t d_model, d_ff;
  std::vector<float> gate, up, down, gate_bias, up_bias, down_bias;
};

/// Builds an f32 library, opens it, and runs blocks with any weights through it.
class TestBlock {
 public:
  TestBlock(const FfnSpec& ffn, const std::vector<int64_t>& rows);
  /// y of dense rows of x.
  std::vector<float> run(const Weights& weights, const std::vector<float>& x) const;

 private:
  FfnSpec ffn_;
  TemporaryFolder folder_;
  std::unique_ptr<Library> library_;
};

}  // namespace gatefold::test
