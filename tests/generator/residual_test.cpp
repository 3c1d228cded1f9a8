// y = residual + FFN(x) through compiled kernels of every fusion: beside y, in y's own memory, in
// x's.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "accuracy/ffn_data.h"
#include "accuracy/guarded_memory.h"
#include "runtime/float_formats.h"
#include "runtime/reference/compare.h"
#include "tests/generator/test_block.h"

namespace gatefold::test {
namespace {

using Floats = std::vector<float>;
using Bytes = std::vector<uint8_t>;
using At = GuardedMemory::At;

struct Kind {
  const char* name;
  Target target;
  DType dtype;
  const char* point;  ///< on top of the default
};

const Kind kKinds[] = {
    {"f32_unfused", Target::x86_avx2, DType::f32, "fusion=unfused mb=0"},
    {"f32_gated", Target::x86_avx2, DType::f32, "fusion=gated mb=0"},
    {"f32_blocked", Target::x86_avx2, DType::f32, "fusion=blocked mb=2"},
    {"f32_k_blocks", Target::x86_avx2, DType::f32, "fusion=blocked mb=2 kb=2 unroll=1"},
    {"bf16_unfused", Target::x86_avx2, DType::bf16, "fusion=unfused mb=0"},
    {"bf16_gated", Target::x86_avx2, DType::bf16, "fusion=gated mb=0"},
    {"bf16_blocked", Target::x86_avx2, DType::bf16, "fusion=blocked mb=2"},
    {"avx512_f32", Target::x86_avx512, DType::f32, "fusion=gated mb=0"},
    {"avx512_bf16", Target::x86_avx512_bf16, DType::bf16, "fusion=blocked mb=2"},
};

Floats random_values(DType dtype, int64_t count, float scale, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-scale, scale);
  Floats values(static_cast<size_t>(count));
  for (float& v : values) v = uniform(random);
  return loaded_from(dtype, stored_as(dtype, values).data(), values.size());
}

/// A library of one kernel for any sizes and rows.
class AnyLibrary {
 public:
  explicit AnyLibrary(const Kind& kind, const char* variant = "swiglu", bool bias = true)
      : ffn_{variant_named(variant), kind.dtype, {}, bias, true} {
    LibraryPlan plan = default_plan(ffn_, kind.target, {16});
    KernelSpec& kernel = plan.kernels[0].spec;
    kernel.point = parse_point(kind.point, kernel.point);
    LibraryOptions options = options_in(folder_);
    options.shared_only = true;
    library_ = std::make_unique<Library>(Library::open(build_library(plan, options).string()));
  }
  const FfnSpec& ffn() const { return ffn_; }
  const Library& library() const { return *library_; }

 private:
  FfnSpec ffn_;
  TemporaryFolder folder_;
  std::unique_ptr<Library> library_;
};

/// A block of one size with random weights.
class SizedBlock {
 public:
  SizedBlock(const AnyLibrary& any, int64_t d_model, int64_t d_ff)
      : spec_(any.ffn()), d_model_(d_model), d_ff_(d_ff) {
    const float in = 1 / std::sqrt(static_cast<float>(d_model));
    const float out = 1 / std::sqrt(static_cast<float>(d_ff));
    gate_ = random_values(spec_.dtype, d_ff * d_model, in, 1);
    up_ = random_values(spec_.dtype, d_ff * d_model, in, 2);
    down_ = random_values(spec_.dtype, d_model * d_ff, out, 3);
    bias_ = random_values(spec_.dtype, d_model, 0.3f, 4);
    gf_ffn_weights w = weights();
    w.gate = tensor(gate_.data(), d_ff, d_model);
    w.up = tensor(up_.data(), d_ff, d_model);
    w.down = tensor(down_.data(), d_model, d_ff);
    w.down_bias = tensor(bias_.data(), d_model);
    ffn_ = std::make_unique<Ffn>(any.library(), d_model, d_ff, w, options(2));
  }

  Floats values(int64_t rows, uint32_t seed) const {
    return random_values(spec_.dtype, rows * d_model_, 1, seed);
  }
  gf_rows rows_at(void* data, int64_t rows, int64_t stride = 0) const {
    return {sizeof(gf_rows), runtime_dtype(spec_.dtype), data, rows, d_model_, stride};
  }
  Ffn& ffn() { return *ffn_; }
  int64_t d_model() const { return d_model_; }

  /// y of dense rows, the residual beside it.
  Bytes run(const Floats& x, const Floats& residual) {
    Bytes in = stored_as(spec_.dtype, x), added = stored_as(spec_.dtype, residual),
          y(in.size(), 0xee);
    const int64_t rows = static_cast<int64_t>(x.size()) / d_model_;
    ffn_->run_residual(rows_at(in.data(), rows), rows_at(added.data(), rows),
                       rows_at(y.data(), rows));
    return y;
  }

  void expect_right(const Floats& x, const Floats& residual, const Bytes& y, Target target) const {
    ReferenceBlock block;
    block.variant = variant_named("swiglu");
    block.d_model = d_model_;
    block.d_ff = d_ff_;
    block.gate = gate_.data();
    block.up = up_.data();
    block.down = down_.data();
    block.down_bias = bias_.data();
    const int64_t rows = static_cast<int64_t>(x.size()) / d_model_;
    const auto reference = reference_ffn(block, x.data(), rows, {}, residual.data());
    const Tolerance t =
        tolerance(spec_.dtype, hidden_dtype(spec_, target), d_model_, d_ff_, spec_.accumulate);
    const Comparison c = compare(loaded_from(spec_.dtype, y.data(), x.size()), reference, t);
    EXPECT_TRUE(acceptable(c, t, d_model_, d_ff_))
        << d_model_ << "x" << d_ff_ << ", " << rows << " rows: rel_l2 " << c.rel_l2 << ", scaled "
        << c.scaled << ", output " << c.worst_index << " by " << c.worst << " of its bound";
  }

 private:
  FfnSpec spec_;
  int64_t d_model_, d_ff_;
  Floats gate_, up_, down_, bias_;
  std::unique_ptr<Ffn> ffn_;
};

class Residual : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    if (!gf_isa_usable(info(GetParam().target).name.c_str())) GTEST_SKIP() << "not on this CPU";
    any = std::make_unique<AnyLibrary>(GetParam());
  }
  DType dtype() const { return GetParam().dtype; }
  std::unique_ptr<AnyLibrary> any;
};

INSTANTIATE_TEST_SUITE_P(Kinds, Residual, testing::ValuesIn(kKinds),
                         [](const auto& p) { return p.param.name; });

/// Sizes and row counts that end inside vectors, panels, tiles and row blocks: a tail that is
/// stored by going over elements again would add the residual twice where it is y.
TEST_P(Residual, IsAddedOnceWhereverItLies) {
  const std::pair<int64_t, int64_t> sizes[] = {{1, 37}, {37, 1}, {37, 61}, {45, 64}, {128, 96}};
  for (const auto& [d_model, d_ff] : sizes) {
    SizedBlock block(*any, d_model, d_ff);
    for (int64_t rows : {0, 1, 2, 5, 17, 41}) {
      const Floats x = block.values(rows, 7), residual = block.values(rows, 8);
      const Bytes beside = block.run(x, residual);
      block.expect_right(x, residual, beside, GetParam().target);
      Bytes in = stored_as(dtype(), x), y = stored_as(dtype(), residual);
      const gf_rows in_place = block.rows_at(y.data(), rows);
      block.ffn().run_residual(block.rows_at(in.data(), rows), in_place, in_place);
      EXPECT_EQ(y, beside) << d_model << "x" << d_ff << ", " << rows << " rows, in place";
      block.expect_right(x, x, block.run(x, x), GetParam().target);
      Bytes out(in.size(), 0xee);
      const gf_rows both = block.rows_at(in.data(), rows);
      block.ffn().run_residual(both, both, block.rows_at(out.data(), rows));
      EXPECT_EQ(out, block.run(x, x)) << d_model << "x" << d_ff << ", " << rows << " rows, x";
    }
  }
}

/// Guard pages around the residual, NaN between its rows, and what lies between y's stays.
TEST_P(Residual, StridesAndEdgesAreKept) {
  SizedBlock block(*any, 37, 61);
  const int64_t size = dtype() == DType::f32 ? 4 : 2, wide = 45, row = 37 * size;
  for (At at : {At::begin, At::end}) {
    for (int64_t rows : {1, 6, 19}) {
      const Floats x = block.values(rows, 7), residual = block.values(rows, 8);
      const Bytes dense = block.run(x, residual), added = stored_as(dtype(), residual);
      Bytes in = stored_as(dtype(), x);
      const size_t span = static_cast<size_t>(((rows - 1) * wide + 37) * size);
      const GuardedMemory apart(span, at), place(span, at);
      std::memset(apart.data(), 0xff, span);
      for (int64_t r = 0; r < rows; ++r)
        std::memcpy(apart.data() + r * wide * size, &added[r * row], row);
      std::memcpy(place.data(), apart.data(), span);
      Bytes wanted(apart.data(), apart.data() + span), out(dense.size());
      for (int64_t r = 0; r < rows; ++r)
        std::memcpy(&wanted[r * wide * size], &dense[r * row], row);
      block.ffn().run_residual(block.rows_at(in.data(), rows),
                               block.rows_at(apart.data(), rows, wide),
                               block.rows_at(out.data(), rows));
      EXPECT_EQ(out, dense) << rows << " rows";
      const gf_rows in_place = block.rows_at(place.data(), rows, wide);
      block.ffn().run_residual(block.rows_at(in.data(), rows), in_place, in_place);
      EXPECT_EQ(Bytes(place.data(), place.data() + span), wanted) << rows << " rows, in place";
    }
  }
}

TEST_P(Residual, NanAndInfinityReachTheOutputInTheirPlace) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  SizedBlock block(*any, 37, 61);
  const int64_t rows = 7;
  const Floats x = block.values(rows, 7);
  Floats residual = block.values(rows, 8);
  const Floats plain = loaded_from(dtype(), block.run(x, residual).data(), residual.size());
  residual[0] = kInf;
  residual[3 * 37 + 17] = std::nanf("");  // inside a vector
  residual[5 * 37 + 36] = -kInf;          // in the tail
  const Floats y = loaded_from(dtype(), block.run(x, residual).data(), residual.size());
  for (size_t i = 0; i < y.size(); ++i) {
    if (std::isnan(residual[i])) {
      EXPECT_TRUE(std::isnan(y[i])) << i;
    } else {
      EXPECT_EQ(y[i], std::isinf(residual[i]) ? residual[i] : plain[i]) << i;
    }
  }
}

/// In f32, before the one rounding to bf16: that of the sum alone would end at a tie, and below.
TEST(ResidualRounding, IsThatOfTheWholeResult) {
  const AnyLibrary any(Kind{"", Target::x86_avx2, DType::bf16, "fusion=gated mb=0"}, "relu", false);
  const float weight = 1 + 0x1p-7f;  // its square has a bit that bf16 has no room for
  gf_ffn_weights w = weights();
  w.up = w.down = tensor(&weight, 1, 1);
  Ffn ffn(any.library(), 1, 1, w);
  const uint16_t x = bf16_from_f32(1), residual = bf16_from_f32(0x1p-8f);
  uint16_t y = 0;
  ffn.run_residual(&x, &residual, &y, 1);
  EXPECT_EQ(f32_from_bf16(y), 1 + 0x1p-6f + 0x1p-7f);
  EXPECT_EQ(f32_from_bf16(bf16_from_f32(f32_from_bf16(bf16_from_f32(weight * weight)) + 0x1p-8f)),
            1 + 0x1p-6f)
      << "what two roundings would give";
}

}  // namespace
}  // namespace gatefold::test
