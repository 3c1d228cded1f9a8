// What `bench` makes of contenders that are wrong, and when.
#include "bench/interleaved.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "spec/error.h"
#include "tests/bench/judged_library.h"

namespace gatefold::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// gatefold itself, until some call from which on the last output is off by 1/8.
class WrongFrom : public Contender {
 public:
  WrongFrom(const Contest& contest, int first_wrong)
      : right_(make_gatefold(contest)), first_wrong_(first_wrong) {}

  void add_copy(const FfnData& data) override { right_->add_copy(data); }
  int64_t weight_bytes() const override { return right_->weight_bytes(); }
  std::string description() const override { return right_->description(); }
  CallTime run(size_t before, size_t copy, const gf_rows& x, const gf_rows& y) override {
    const CallTime time = right_->run(before, copy, x, y);
    if (calls_++ >= first_wrong_) static_cast<float*>(y.data)[y.rows * y.cols - 1] += 0.125f;
    return time;
  }

 private:
  std::unique_ptr<Contender> right_;
  int first_wrong_, calls_ = 0;
};

template <int first_wrong>
std::unique_ptr<Contender> wrong_from(const Contest& contest) {
  return std::make_unique<WrongFrom>(contest, first_wrong);
}

class Interleaved : public JudgedLibrary {
 protected:
  void SetUp() override {
    JudgedLibrary::SetUp();
    if (!IsSkipped()) build({{1, 1}});
  }

  /// gatefold, and one beside it.
  BenchResult bench_beside(ContenderInfo other) {
    const LoadedLibrary library(manifest_);
    const Contest contest = this->contest(library, 3, 1);
    const BenchOptions options{.cold = false, .seconds = 0, .min_rounds = 3, .max_rounds = 3};
    return run_interleaved(contest, {std::move(other)}, options);
  }
};

TEST_F(Interleaved, RightContendersAreOk) {
  const BenchResult result =
      bench_beside({"right", "", wrong_from<std::numeric_limits<int>::max()>});
  ASSERT_EQ(result.cells.size(), 2u);
  for (const BenchCell& cell : result.cells) EXPECT_TRUE(cell.ok) << cell.impl << cell.note;
  EXPECT_FALSE(result.cells[0].efficiency) << "weights are warm";
  EXPECT_GE(result.best_roof.f32_gflops, result.roof.f32_gflops);
}

TEST_F(Interleaved, AWrongFirstCallIsSeen) {
  const BenchResult result = bench_beside({"wrong", "", wrong_from<0>});
  EXPECT_TRUE(result.cells.at(0).ok);
  EXPECT_FALSE(result.cells.at(1).ok);
}

TEST_F(Interleaved, AWrongTimedCallIsSeen) {
  const BenchResult result = bench_beside({"later", "", wrong_from<2>});
  EXPECT_THAT(result.cells.at(0).note, IsEmpty());
  EXPECT_FALSE(result.cells.at(1).ok);
  EXPECT_THAT(result.cells.at(1).note, HasSubstr("a timed call"));
}

TEST_F(Interleaved, AContenderThatAddsNoResidualIsNamed) {
  const LoadedLibrary library(manifest_);
  Contest contest = this->contest(library, 3, 1);
  contest.ffn.residual = true;
  try {
    run_interleaved(contest, {{"plain", "", wrong_from<0>}}, {.cold = false});
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::usage);
    EXPECT_THAT(e.what(), HasSubstr("--vs: 'plain' adds no residual"));
  }
}

}  // namespace
}  // namespace gatefold::test
