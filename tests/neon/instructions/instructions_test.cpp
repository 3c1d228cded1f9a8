// The matrix and dot instructions of Armv8.6 (features i8mm and bf16), which Halide 21 does not
// know: what emits them all the same, and what does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tests/neon/instructions/arm_product.h"
#include "tests/neon/instructions/vector_functions.h"

namespace gatefold::test {
namespace {

using namespace Halide;

constexpr const char* kTarget = "arm_dot_prod-armv86a";
constexpr int kSteps = 12;                 // words of k
constexpr int kRowTiles = 3, kPanels = 4;  // accumulators: their product

/// How an instruction reads its operands and what it gives.
struct Case {
  const char* name;
  bool matrix;  ///< two rows by two columns of eight bytes, else one row by four columns
  bool x_signed, w_signed;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

/// One register tile: y(v, panel, row tile) over words of k, four sums a vector.
ArmProduct tile(const Case& c, const std::string& target = kTarget) {
  Var v("v"), panel("panel"), rows("rows");
  RDom k(0, kSteps, "k");
  ImageParam x(UInt(32), 3, "x"), w(UInt(32), 3, "w");
  const int wide = c.matrix ? 4 : 1;
  fix(x, 0, wide, 1), fix(x, 1, kSteps, wide), fix(x, 2, kRowTiles, wide * kSteps);
  fix(w, 0, 4, 1), fix(w, 1, kSteps, 4), fix(w, 2, kPanels, 4 * kSteps);
  Func acc("acc"), y("y");
  acc(v, panel, rows) = cast(vector_function(c.name).bf16 ? Float(32) : Int(32), 0);
  acc(v, panel, rows) = multiplied(c.name, acc(v, panel, rows),
                                   x(c.matrix ? Expr(v) : Expr(0), k, rows), w(v, k, panel));
  y(v, panel, rows) = acc(v, panel, rows);
  auto out = y.output_buffer();
  fix(out, 0, 4, 1), fix(out, 1, kPanels, 4), fix(out, 2, kRowTiles, 4 * kPanels);
  y.vectorize(v, 4).unroll(panel).unroll(rows);
  acc.compute_at(y, Var::outermost()).vectorize(v, 4).unroll(panel).unroll(rows);
  acc.update().reorder(v, panel, rows, k).vectorize(v, 4).unroll(panel).unroll(rows);
  return {y, x, w, target};
}

class Instruction : public testing::TestWithParam<Case> {
 protected:
  const Case& c = GetParam();
  const bool bf16 = vector_function(c.name).bf16;
  const int values = bf16 ? 2 : 4;  ///< of a word

  /// A whole number that any of the types holds; negative only where that has a sign.
  static int value(int i, bool is_signed) { return is_signed ? i * 37 % 201 - 100 : i * 37 % 256; }

  Bytes stored(int words, bool is_signed) const {
    Bytes out;
    for (int i = 0; i < words * values; ++i) {
      const float f = static_cast<float>(value(i, is_signed));
      uint32_t word;
      std::memcpy(&word, &f, sizeof word);
      if (bf16) out.insert(out.end(), {uint8_t(word >> 16), uint8_t(word >> 24)});
      if (!bf16) out.push_back(static_cast<uint8_t>(value(i, is_signed)));
    }
    return out;
  }

  /// Lane v of one vector after all words: an instruction of matrices has row v / 2, column v % 2.
  int sum(int v, int panel, int rows) const {
    const int run = c.matrix ? 2 * values : values, x_first = c.matrix ? v / 2 * run : 0;
    const int w_first = c.matrix ? v % 2 * run : v * run;
    const int x_step = (c.matrix ? 4 : 1) * values, w_step = 4 * values;
    int total = 0;
    for (int k = 0; k < kSteps; ++k) {
      for (int i = 0; i < run; ++i) {
        total += value((rows * kSteps + k) * x_step + x_first + i, c.x_signed) *
                 value((panel * kSteps + k) * w_step + w_first + i, c.w_signed);
      }
    }
    return total;
  }
};

TEST_P(Instruction, IsEmittedOncePerAccumulatorAndMultipliesRight) {
  const size_t count = 4 * kPanels * kRowTiles;
  const auto [assembly, y] =
      tile(c).run("max", stored((c.matrix ? 4 : 1) * kSteps * kRowTiles, c.x_signed),
                  stored(4 * kSteps * kPanels, c.w_signed), 4 * count);
  // usdot by element is sudot with its operands the other way round.
  const int emitted = instructions(assembly, c.name) + instructions(assembly, "sudot");
  EXPECT_EQ(emitted, kRowTiles * kPanels) << assembly;
  EXPECT_THAT(assembly, testing::Not(testing::HasSubstr("bl\t"))) << "not inlined";
  EXPECT_THAT(assembly, testing::Not(testing::HasSubstr("[sp"))) << "spilled";
  ASSERT_EQ(y.size(), 4 * count);
  for (size_t i = 0; i < count; ++i) {
    float f;
    int got;
    std::memcpy(&f, &y[4 * i], 4), std::memcpy(&got, &y[4 * i], 4);
    if (bf16) got = static_cast<int>(f);
    const int at = static_cast<int>(i);
    EXPECT_EQ(got, sum(at % 4, at / 4 % kPanels, at / 4 / kPanels)) << "sum " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Armv86, Instruction,
    testing::Values(Case{"smmla", true, true, true}, Case{"ummla", true, false, false},
                    Case{"usmmla", true, false, true}, Case{"usdot", false, false, true},
                    Case{"bfdot", false, true, true}, Case{"bfmmla", true, true, true}),
    testing::PrintToStringParamName());

/// Halide declares an extern function that it does not know by its scalar types.
TEST(PureExtern, OfAnIntrinsicByItsNameIsRefusedByLlvm) {
  Var v("v");
  ImageParam x(Int(32), 1, "x"), w(Int(32), 1, "w");
  Func y("y");
  y(v) = Internal::Call::make(Int(32), "llvm.aarch64.neon.smmla.v4i32.v16i8", {Expr(0), x(v), w(v)},
                              Internal::Call::PureExtern);
  y.vectorize(v, 4);
  EXPECT_THROW((ArmProduct{y, x, w, kTarget}.assembly()), Halide::Error);
}

/// Sums of four products of bytes of two signs, and of two of bf16: a Halide that knows usdot and
/// bfdot makes itself known here.
TEST(VectorReduce, OfMixedSignsOrBf16GivesNoInstructionOfItsOwn) {
  const auto assembly_of = [](Type x_type, Type w_type, Type sum, int group) {
    Var n("n"), vector("vector");
    RDom k(0, group * kSteps, "k");
    ImageParam x(x_type, 1, "x"), w(w_type, 3, "w");
    fix(x, 0, group * kSteps, 1);
    fix(w, 0, group, 1), fix(w, 1, 4, group), fix(w, 2, kSteps, 4 * group);
    Func y("y");
    y(n) = cast(sum, 0);
    y(n) += cast(sum, x(k)) * cast(sum, w(k % group, n, k / group));
    fix(y.output_buffer(), 0, 4, 1);
    RVar outer("outer"), inner("inner");
    y.update().split(k, outer, inner, group).reorder(inner, n, outer);
    y.update().atomic().vectorize(inner).vectorize(n, 4);
    return ArmProduct{y, x, w, kTarget}.assembly();
  };
  EXPECT_GT(instructions(assembly_of(Int(8), Int(8), Int(32), 4), "sdot"), 0);
  const std::string mixed = assembly_of(UInt(8), Int(8), Int(32), 4);
  EXPECT_EQ(instructions(mixed, "usdot") + instructions(mixed, "sudot"), 0) << mixed;
  const std::string pairs = assembly_of(BFloat(16), BFloat(16), Float(32), 2);
  EXPECT_EQ(instructions(pairs, "bfdot") + instructions(pairs, "bfmlal[bt]"), 0) << pairs;
}

}  // namespace
}  // namespace gatefold::test
