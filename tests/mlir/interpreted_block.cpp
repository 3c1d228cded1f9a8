#include "tests/mlir/interpreted_block.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "runtime/reference/reference.h"
#include "spec/error.h"

namespace gatefold::test {
namespace {

using Halves = std::vector<uint16_t>;

/// What no kernel may read or leave behind: a NaN in both types.
constexpr uint16_t kPoison = 0x7fff;

Halves halves(DType dtype, const std::vector<float>& values) {
  const std::vector<uint8_t> bytes = stored_as(dtype, values);
  Halves out(values.size());
  std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

float real(DType dtype, uint16_t half) {
  uint8_t bytes[2];
  std::memcpy(bytes, &half, 2);
  return loaded_from(dtype, bytes);
}

int64_t words_of(const Packing& p, int64_t length) { return packed_lines(p, length) * p.k_step; }

int64_t columns_of(const Packing& p, int64_t columns) {
  return packed_panels(p, columns) * p.panel;
}

/// [out, in] as 16-byte chunks: chunk (column, k / 8) at (panel * words + k / 8) * width + column.
Halves packed(const Packing& p, DType dtype, const float* matrix, int64_t out, int64_t in) {
  const Halves given = halves(dtype, std::vector<float>(matrix, matrix + out * in));
  const int64_t words = words_of(p, in);
  Halves result(size_t(packed_elements(p, out, in)), 0);
  for (int64_t column = 0; column < out; ++column) {
    for (int64_t k = 0; k < in; ++k) {
      const int64_t chunk = (column / p.panel * words + k / 8) * p.panel + column % p.panel;
      result[size_t(chunk * 8 + k % 8)] = given[size_t(column * in + k)];
    }
  }
  return result;
}

std::vector<float> padded(const float* bias, int64_t count, int64_t columns) {
  std::vector<float> out(bias, bias + count);
  out.resize(size_t(columns), 0.0f);
  return out;
}

uint32_t blocks(int64_t size, int64_t each) { return uint32_t((size + each - 1) / each); }

}  // namespace

InterpretedBlock::InterpretedBlock(const TensorCoreKernel& kernel, const std::string& ptx,
                                   const FfnData& data)
    : kernel_(kernel), data_(data), module_(ptx::parse(ptx)) {
  upload_weights();
}

void InterpretedBlock::upload_weights() {
  const ReferenceBlock b = data_.reference_block();
  const Packing& p = kernel_.spec.packing;
  const DType dtype = kernel_.spec.ffn.dtype;
  const int64_t hidden_columns = columns_of(p, b.d_ff), columns = columns_of(p, b.d_model);
  const auto matrix = [&](const char* name, const float* values, int64_t out, int64_t in) {
    pointers_[name] = memory_.upload(packed(p, dtype, values, out, in), name);
  };
  if (b.gate) matrix("gate", b.gate, b.d_ff, b.d_model);
  matrix("up", b.up, b.d_ff, b.d_model);
  matrix("down", b.down, b.d_model, b.d_ff);
  const auto bias = [&](const char* name, const float* values, int64_t count, int64_t all) {
    if (values) pointers_[name] = memory_.upload(padded(values, count, all), name);
  };
  bias("gate_bias", b.gate_bias, b.d_ff, hidden_columns);
  bias("up_bias", b.up_bias, b.d_ff, hidden_columns);
  bias("down_bias", b.down_bias, b.d_model, columns);
  numbers_["d_ff"] = int32_t(b.d_ff);
  numbers_["d_model"] = int32_t(b.d_model);
  numbers_["hidden_columns"] = int32_t(hidden_columns);
  numbers_["columns"] = int32_t(columns);
}

uint64_t InterpretedBlock::upload_x(const Rows& rows) {
  const int64_t d_model = numbers_["d_model"];
  const int64_t k = words_of(kernel_.spec.packing, d_model) * 8, stride = k + 8;
  const Halves x = halves(kernel_.spec.ffn.dtype, rows.x.empty() ? data_.x(0, rows.count) : rows.x);
  Halves staged(size_t((rows.count - 1) * stride + k), kPoison);
  for (int64_t row = 0; row < rows.count; ++row) {
    const auto begin = staged.begin() + row * stride;
    std::fill(begin, begin + k, uint16_t{0});
    std::copy_n(x.begin() + row * d_model, d_model, begin);
  }
  numbers_["x_stride"] = int32_t(stride);
  return memory_.upload(staged, "x");
}

void InterpretedBlock::upload_y(const Rows& rows) {
  const int64_t d_model = numbers_["d_model"], stride = d_model + rows.y_gap;
  Halves y(size_t((rows.count - 1) * stride + d_model), kPoison);
  numbers_["y_stride"] = int32_t(stride);
  if (kernel_.spec.ffn.residual) {
    const Halves residual = halves(kernel_.spec.ffn.dtype, data_.residual(0, rows.count));
    for (int64_t row = 0; row < rows.count && rows.in_place; ++row) {
      std::copy_n(residual.begin() + row * d_model, d_model, y.begin() + row * stride);
    }
    numbers_["residual_stride"] = int32_t(rows.in_place ? stride : d_model);
    if (!rows.in_place) pointers_["residual"] = memory_.upload(residual, "residual");
  }
  pointers_["y"] = memory_.upload(y, "y");
  if (rows.in_place) pointers_["residual"] = pointers_["y"];
}

void InterpretedBlock::launch(const KernelEntry& e, int64_t columns, int64_t words) {
  numbers_["words"] = int32_t(words);
  ptx::Launch launch;
  launch.grid = {blocks(numbers_["rows"], e.rows_of_block), blocks(columns, e.columns_of_block),
                 uint32_t(e.splits)};
  launch.block = {uint32_t(e.threads), 1, 1};
  launch.shared_bytes = uint32_t(e.shared_bytes);
  for (const KernelParameter& p : e.parameters) {
    if (p.pointer) {
      launch.parameter(pointers_.at(p.name));
    } else {
      launch.parameter(numbers_.at(p.name));
    }
  }
  ptx::run(module_, e.name, launch, memory_);
}

void InterpretedBlock::prepare(const Rows& rows) {
  numbers_["rows"] = int32_t(rows.count);
  pointers_["x"] = upload_x(rows);
  upload_y(rows);
}

Computed InterpretedBlock::run(const Rows& rows) {
  const Packing& p = kernel_.spec.packing;
  const int64_t columns = numbers_["columns"], hidden_columns = numbers_["hidden_columns"];
  prepare(rows);
  pointers_["hidden"] = memory_.allocate(size_t(rows.count * hidden_columns * 2), "hidden");
  if (kernel_.sum) {
    const int64_t bytes = kernel_.point.split_k * rows.count * columns * 4;
    pointers_["partial"] = memory_.allocate(size_t(bytes), "partial");
  }
  launch(kernel_.hidden, hidden_columns, words_of(p, numbers_["d_model"]));
  launch(kernel_.down, columns, words_of(p, numbers_["d_ff"]));
  if (kernel_.sum) launch(*kernel_.sum, columns, 0);
  return download(rows);
}

Computed InterpretedBlock::download(const Rows& rows) const {
  Computed c;
  c.hidden_columns = numbers_.at("hidden_columns");
  const size_t hidden = size_t(rows.count * c.hidden_columns);
  for (const uint16_t h : memory_.download<uint16_t>(pointers_.at("hidden"), hidden)) {
    c.hidden.push_back(real(kernel_.spec.ffn.dtype, h));
  }
  c.y = read_y(rows, &c.gaps_untouched);
  return c;
}

std::vector<float> InterpretedBlock::read_y(const Rows& rows, bool* gaps_untouched) const {
  const int64_t d_model = numbers_.at("d_model"), stride = numbers_.at("y_stride");
  const size_t length = size_t((rows.count - 1) * stride + d_model);
  const Halves y = memory_.download<uint16_t>(pointers_.at("y"), length);
  std::vector<float> out;
  for (size_t i = 0; i < length; ++i) {
    if (int64_t(i) % stride < d_model) {
      out.push_back(real(kernel_.spec.ffn.dtype, y[i]));
    } else if (y[i] != kPoison) {
      *gaps_untouched = false;
    }
  }
  return out;
}

double error_of(const FfnData& data, const std::vector<float>& y, int64_t rows) {
  const std::vector<float> x = data.x(0, rows), residual = data.residual(0, rows);
  const ReferenceResult wanted = reference_ffn(data.reference_block(), x.data(), rows, {},
                                               residual.empty() ? nullptr : residual.data());
  double worst = 0, largest = 0;
  for (size_t i = 0; i < wanted.y.size(); ++i) {
    if (!std::isfinite(y.at(i))) return std::numeric_limits<double>::infinity();
    worst = std::max(worst, std::fabs(y[i] - wanted.y[i]));
    largest = std::max(largest, std::fabs(wanted.y[i]));
  }
  return worst / largest;
}

double allowed_error(DType dtype) { return dtype == DType::bf16 ? 4e-3 : 6e-4; }

}  // namespace gatefold::test
