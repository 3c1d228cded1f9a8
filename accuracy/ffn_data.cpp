#include "accuracy/ffn_data.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>

#include "runtime/float_formats.h"

namespace gatefold {
namespace {

enum Stream { kGate = 1, kUp, kDown, kGateBias, kUpBias, kDownBias, kX, kResidual };

uint64_t splitmix(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// Element i of a stream, from -reach to reach. A hash of the index, so that any thread can make
/// any part.
float uniform(uint64_t key, int64_t i, float reach) {
  const uint64_t bits = splitmix(key + static_cast<uint64_t>(i));
  return static_cast<float>(static_cast<int32_t>(bits >> 32)) * 0x1p-31f * reach;
}

float rounded_to(DType dtype, float value) {
  switch (dtype) {
    case DType::f32:
      return value;
    case DType::bf16:
      return f32_from_bf16(bf16_from_f32(value));
    case DType::f16:
      return f32_from_f16(f16_from_f32(value));
  }
  return value;
}

template <typename Word, typename Convert>
std::vector<uint8_t> elements(const std::vector<float>& values, Convert convert) {
  std::vector<uint8_t> out(values.size() * sizeof(Word));
  for (size_t i = 0; i < values.size(); ++i) {
    const Word word = convert(values[i]);
    std::memcpy(out.data() + i * sizeof word, &word, sizeof word);
  }
  return out;
}

const float* data_or_null(const std::vector<float>& values) {
  return values.empty() ? nullptr : values.data();
}

}  // namespace

gf_dtype runtime_dtype(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return GF_F32;
    case DType::bf16:
      return GF_BF16;
    case DType::f16:
      return GF_F16;
  }
  return GF_F32;
}

std::vector<uint8_t> stored_as(DType dtype, const std::vector<float>& values) {
  switch (dtype) {
    case DType::f32:
      return elements<float>(values, [](float value) { return value; });
    case DType::bf16:
      return elements<uint16_t>(values, bf16_from_f32);
    case DType::f16:
      return elements<uint16_t>(values, f16_from_f32);
  }
  return {};
}

float loaded_from(DType dtype, const uint8_t* element) {
  uint16_t half = 0;
  float whole = 0;
  switch (dtype) {
    case DType::f32:
      std::memcpy(&whole, element, sizeof whole);
      return whole;
    case DType::bf16:
      std::memcpy(&half, element, sizeof half);
      return f32_from_bf16(half);
    case DType::f16:
      std::memcpy(&half, element, sizeof half);
      return f32_from_f16(half);
  }
  return whole;
}

std::vector<float> loaded_from(DType dtype, const uint8_t* elements, size_t count) {
  const size_t size = static_cast<size_t>(info(dtype).bytes);
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = loaded_from(dtype, elements + i * size);
  return values;
}

FfnData::FfnData(const FfnSpec& ffn, uint64_t seed, int threads)
    : ffn_(ffn), seed_(seed), threads_(std::max(1, threads)) {
  const int64_t d = ffn.shape.d_model, f = ffn.shape.d_ff;
  const double in = 1 / std::sqrt(static_cast<double>(d));
  const double out = 1 / std::sqrt(static_cast<double>(f));
  if (ffn.variant.gated) gate_ = weight(kGate, d * f, in);
  up_ = weight(kUp, d * f, in);
  down_ = weight(kDown, d * f, out);
  if (!ffn.bias) return;
  if (ffn.variant.gated) gate_bias_ = weight(kGateBias, f, 0.1);
  up_bias_ = weight(kUpBias, f, 0.1);
  down_bias_ = weight(kDownBias, d, 0.1);
}

std::vector<float> FfnData::weight(int stream, int64_t count, double deviation) const {
  return random(stream, 0, count, deviation, ffn_.dtype);
}

std::vector<float> FfnData::random(int stream, int64_t first, int64_t count, double deviation,
                                   DType dtype) const {
  std::vector<float> out(static_cast<size_t>(count));
  const uint64_t key = splitmix(seed_ * 64 + static_cast<uint64_t>(stream));
  const float reach = static_cast<float>(deviation * std::sqrt(3.0));  // of a uniform distribution
  const int parts = count < (1 << 16) ? 1 : threads_;
  const auto part = [&](int p) {
    for (int64_t i = count * p / parts; i < count * (p + 1) / parts; ++i) {
      out[static_cast<size_t>(i)] = rounded_to(dtype, uniform(key, first + i, reach));
    }
  };
  std::vector<std::thread> others;
  for (int p = 1; p < parts; ++p) others.emplace_back(part, p);
  part(0);
  for (std::thread& other : others) other.join();
  return out;
}

std::vector<float> FfnData::x(int64_t first, int64_t count) const {
  return random(kX, first * ffn_.shape.d_model, count * ffn_.shape.d_model, 1, ffn_.act());
}

std::vector<float> FfnData::residual(int64_t first, int64_t count) const {
  if (!ffn_.residual) return {};
  return random(kResidual, first * ffn_.shape.d_model, count * ffn_.shape.d_model, 1, ffn_.act());
}

gf_tensor FfnData::tensor(const std::vector<float>& data, int64_t rows, int64_t cols) {
  gf_tensor tensor = {};
  if (data.empty()) return tensor;
  tensor.data = data.data();
  tensor.rows = rows;
  tensor.cols = cols;
  tensor.dtype = GF_F32;
  return tensor;
}

gf_ffn_weights FfnData::weights() const {
  const int64_t d = ffn_.shape.d_model, f = ffn_.shape.d_ff;
  gf_ffn_weights weights = {};
  weights.struct_size = sizeof weights;
  weights.gate = tensor(gate_, f, d);
  weights.up = tensor(up_, f, d);
  weights.down = tensor(down_, d, f);
  weights.gate_bias = tensor(gate_bias_, f, 1);
  weights.up_bias = tensor(up_bias_, f, 1);
  weights.down_bias = tensor(down_bias_, d, 1);
  return weights;
}

ReferenceBlock FfnData::reference_block() const {
  ReferenceBlock block;
  block.variant = ffn_.variant;
  block.d_model = ffn_.shape.d_model;
  block.d_ff = ffn_.shape.d_ff;
  block.gate = data_or_null(gate_);
  block.up = data_or_null(up_);
  block.down = data_or_null(down_);
  block.gate_bias = data_or_null(gate_bias_);
  block.up_bias = data_or_null(up_bias_);
  block.down_bias = data_or_null(down_bias_);
  return block;
}

}  // namespace gatefold
