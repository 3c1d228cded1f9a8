#include "tests/runtime/block.h"

#include <cstring>
#include <random>

#include "runtime/float_formats.h"

namespace gatefold::test {

Values random_values(int64_t count, gf_dtype dtype, float scale, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-scale, scale);
  Values v;
  v.dtype = dtype;
  for (int64_t i = 0; i < count; ++i) {
    const float value = uniform(random);
    const uint16_t half = bf16_from_f32(value);
    const float kept = dtype == GF_F32 ? value : f32_from_bf16(half);
    const void* from = dtype == GF_F32 ? static_cast<const void*>(&value) : &half;
    const auto* bytes = static_cast<const uint8_t*>(from);
    v.stored.insert(v.stored.end(), bytes, bytes + (dtype == GF_F32 ? 4 : 2));
    v.f32.push_back(kept);
  }
  return v;
}

Block::Block(FakeOptions o, uint32_t seed) : fake(std::move(o)), library(link()) {
  const FakeOptions& f = fake.options;
  for (int m = 0; m < 3; ++m) {
    matrices[m] =
        random_values(f.d_model * f.d_ff, f.dtype, 0.3f, seed * 10 + static_cast<uint32_t>(m));
    const int64_t length = m == GF_MATRIX_DOWN ? f.d_model : f.d_ff;
    biases[m] = random_values(length, GF_F32, 0.5f, seed * 10 + 5 + static_cast<uint32_t>(m));
  }
}

gf_tensor Block::matrix(int which) const {
  const FakeOptions& o = fake.options;
  const bool down = which == GF_MATRIX_DOWN;
  return tensor(matrices[which].data(), o.dtype, down ? o.d_model : o.d_ff,
                down ? o.d_ff : o.d_model);
}

gf_ffn_weights Block::weights() const {
  gf_ffn_weights w = gatefold::weights();
  const FakeOptions& o = fake.options;
  if (fake.variant.gated) w.gate = matrix(GF_MATRIX_GATE);
  w.up = matrix(GF_MATRIX_UP);
  w.down = matrix(GF_MATRIX_DOWN);
  if (!o.bias) return w;
  if (fake.variant.gated) w.gate_bias = tensor(biases[0].data(), GF_F32, o.d_ff);
  w.up_bias = tensor(biases[1].data(), GF_F32, o.d_ff);
  w.down_bias = tensor(biases[2].data(), GF_F32, o.d_model);
  return w;
}

Ffn Block::make(int threads) const {
  return Ffn(library, fake.options.d_model, fake.options.d_ff, weights(), options(threads));
}

Values Block::input(int64_t rows, uint32_t seed) const {
  return random_values(rows * fake.options.d_model, fake.options.dtype, 1.0f, seed);
}

ReferenceResult Block::expected(const Values& x, int64_t rows, const Values* residual) const {
  ReferenceBlock b;
  b.variant = fake.variant;
  b.d_model = fake.options.d_model;
  b.d_ff = fake.options.d_ff;
  b.gate = matrices[0].f32.data();
  b.up = matrices[1].f32.data();
  b.down = matrices[2].f32.data();
  if (fake.options.bias) {
    b.gate_bias = biases[0].f32.data();
    b.up_bias = biases[1].f32.data();
    b.down_bias = biases[2].f32.data();
  }
  return reference_ffn(b, x.f32.data(), rows, {}, residual ? residual->f32.data() : nullptr);
}

std::vector<float> widened(const std::vector<uint8_t>& stored, gf_dtype dtype) {
  const size_t size = dtype == GF_F32 ? 4 : 2;
  std::vector<float> values(stored.size() / size);
  for (size_t i = 0; i < values.size(); ++i) {
    uint16_t half = 0;
    std::memcpy(dtype == GF_F32 ? static_cast<void*>(&values[i]) : &half, stored.data() + i * size,
                size);
    if (dtype != GF_F32) values[i] = f32_from_bf16(half);
  }
  return values;
}

gf_rows rows_of(void* data, gf_dtype dtype, int64_t rows, int64_t cols, int64_t row_stride) {
  return {sizeof(gf_rows), dtype, data, rows, cols, row_stride};
}

std::vector<uint8_t> Block::run(Ffn& ffn, const Values& x, int64_t rows) const {
  const FakeOptions& o = fake.options;
  std::vector<uint8_t> y(static_cast<size_t>(rows * o.d_model * element_bytes()), 0xee);
  ffn.run(rows_of(const_cast<void*>(x.data()), o.dtype, rows, o.d_model),
          rows_of(y.data(), o.dtype, rows, o.d_model));
  return y;
}

Tolerance Block::limits() const {
  const FakeOptions& o = fake.options;
  return tolerance(o.dtype == GF_F32 ? DType::f32 : DType::bf16, DType::f32, o.d_model, o.d_ff);
}

Comparison Block::run_and_compare(Ffn& ffn, int64_t rows) const {
  const Values x = input(rows);
  const std::vector<uint8_t> y = run(ffn, x, rows);
  return compare(widened(y, fake.options.dtype), expected(x, rows), limits());
}

}  // namespace gatefold::test
