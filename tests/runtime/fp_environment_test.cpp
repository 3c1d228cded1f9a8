#include "runtime/fp_environment.h"

#include <gtest/gtest.h>

#include <cfenv>
#include <cfloat>

#include "tests/runtime/odd_fp_word.h"

namespace gatefold::test {
namespace {

/// The calling thread's word, put back at the end whatever a test did.
class FpEnvironment : public testing::Test {
 protected:
  void SetUp() override { before_ = read_fp_word(); }
  void TearDown() override { write_fp_word(before_); }

 private:
  FpWord before_ = 0;
};

// Operands in memory: what the compiler knows it computes itself, in the environment of its own.
volatile float g_smallest_normal = FLT_MIN, g_half = 0.5f, g_one = 1,
               g_below_an_ulp = 0x1p-24f * 1.5f;

[[gnu::noinline]] bool keeps_subnormals() { return g_smallest_normal * g_half != 0; }
[[gnu::noinline]] bool rounds_to_nearest() { return g_one + g_below_an_ulp > 1; }

TEST_F(FpEnvironment, TheStandardWordIsWhatAProcessStartsWith) {
  std::fesetenv(FE_DFL_ENV);
  EXPECT_EQ(fp_controls(read_fp_word()), fp_controls(kStandardFpWord));
}

TEST_F(FpEnvironment, TheOddWordChangesResults) {
  write_fp_word(kOddFpWord);
  const bool subnormals = keeps_subnormals(), nearest = rounds_to_nearest();
  write_fp_word(kStandardFpWord);
  EXPECT_FALSE(subnormals);
  EXPECT_FALSE(nearest);
  EXPECT_TRUE(keeps_subnormals());
  EXPECT_TRUE(rounds_to_nearest());
}

TEST_F(FpEnvironment, AScopeIsStandardAndThenTheCallersAgain) {
  write_fp_word(kOddFpWord);
  bool standard = false;
  {
    const StandardFpEnvironment scope;
    standard = read_fp_word() == kStandardFpWord && keeps_subnormals() && rounds_to_nearest();
  }
  const FpWord after = read_fp_word();
  write_fp_word(kStandardFpWord);
  EXPECT_TRUE(standard);
  EXPECT_EQ(after, kOddFpWord);
}

TEST_F(FpEnvironment, FlagsRaisedInAScopeAreNotTheCallers) {
  write_fp_word(kStandardFpWord);
  {
    const StandardFpEnvironment scope;
    g_half = g_one + g_below_an_ulp;  // inexact
    EXPECT_NE(read_fp_word(), kStandardFpWord);
    EXPECT_EQ(fp_controls(read_fp_word()), kStandardFpWord) << "flags are no controls";
  }
  EXPECT_EQ(read_fp_word(), kStandardFpWord);
  g_half = 0.5f;
}

}  // namespace
}  // namespace gatefold::test
