// The control of `bench`: which of the judged library's schedules it takes over.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "spec/error.h"
#include "tests/bench/judged_library.h"

namespace gatefold::test {
namespace {

using ::testing::HasSubstr;

class Unfused : public JudgedLibrary {
 protected:
  void SetUp() override {
    JudgedLibrary::SetUp();
    if (!IsSkipped()) build({{1, 1}, {8, 2}});
  }

  /// The schedule that the control has for 8 rows.
  std::string point_with(int threads) {
    const LoadedLibrary library(manifest_);
    const Contest contest = this->contest(library, 8, threads);
    const std::unique_ptr<Contender> unfused = make_unfused(contest);
    const FfnData data(contest.ffn, 1, 1);
    unfused->add_copy(data);
    std::vector<float> x = data.x(0, 8), y(x.size());
    unfused->run(0, 0, dense_rows(x.data(), DType::f32, 8, 32),
                 dense_rows(y.data(), DType::f32, 8, 32));
    return unfused->description();
  }

  void replace_in_manifest(const std::string& what, const std::string& by) {
    std::string text = content(manifest_);
    for (size_t at; (at = text.find(what)) != std::string::npos;) text.replace(at, what.size(), by);
    std::ofstream(manifest_) << text;
  }
};

TEST_F(Unfused, TakesTheScheduleThatTheRuntimeWouldTakeForTheThreads) {
  EXPECT_THAT(point_with(1), HasSubstr("fusion=unfused mr=1 "));
  EXPECT_THAT(point_with(6), HasSubstr("fusion=unfused mr=2 "));
}

TEST_F(Unfused, AMalformedPackingIsNamedWithItsPlace) {
  replace_in_manifest("panel=", "pannel=");
  try {
    point_with(1);
    FAIL() << "accepted a packing without a panel";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(manifest_.string() + ": kernels[0]: field 'packing': "));
  }
}

}  // namespace
}  // namespace gatefold::test
