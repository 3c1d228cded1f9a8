// What the consumers here share: a block with random weights that checks its own output.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "gatefold/gatefold.hpp"

/// Of a library in f32 with fixed sizes: swiglu, gelu or relu.
class Block {
 public:
  explicit Block(gatefold::Library library, const gf_options& options = gatefold::options())
      : library_(std::move(library)),
        variant_(library_.table().variant),
        d_model_(library_.table().d_model),
        d_ff_(library_.table().d_ff),
        gate_(values(d_ff_ * d_model_, 1)),
        up_(values(d_ff_ * d_model_, 2)),
        down_(values(d_model_ * d_ff_, 3)),
        up_bias_(values(d_ff_, 4)),
        down_bias_(values(d_model_, 5)),
        ffn_(library_, d_model_, d_ff_, weights(), options) {}

  gf_report report() const { return ffn_.report(); }

  std::vector<float> input(int64_t rows) const { return values(rows * d_model_, 6); }

  std::vector<float> run(int64_t rows) {
    std::vector<float> y(static_cast<size_t>(rows * d_model_));
    ffn_.run(input(rows).data(), y.data(), rows);
    return y;
  }

  /// Runs and compares with loops in f64.
  bool right(int64_t rows) {
    const std::vector<float> x = input(rows), y = run(rows);
    double worst = 0;
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t column = 0; column < d_model_; ++column) {
        const double error = std::abs(y[size_t(row * d_model_ + column)] -
                                      expected(&x[size_t(row * d_model_)], column));
        if (!(error <= 1e-5)) return fail(row, column, error);
        worst = std::max(worst, error);
      }
    }
    std::printf("%s %lld rows: largest difference %.1e\n", variant_.c_str(),
                static_cast<long long>(rows), worst);
    return true;
  }

 private:
  /// In [-0.2, 0.2], the same on every machine.
  static std::vector<float> values(int64_t count, uint32_t seed) {
    std::vector<float> out(static_cast<size_t>(count));
    for (float& value : out) {
      seed = seed * 1664525u + 1013904223u;
      value = static_cast<float>(seed >> 16) / 65536.0f * 0.4f - 0.2f;
    }
    return out;
  }

  bool has_bias() const { return library_.table().has_bias != 0; }
  bool gated() const { return library_.table().gated != 0; }

  gf_ffn_weights weights() const {
    gf_ffn_weights w = gatefold::weights();
    if (gated()) w.gate = gatefold::tensor(gate_.data(), d_ff_, d_model_);
    w.up = gatefold::tensor(up_.data(), d_ff_, d_model_);
    w.down = gatefold::tensor(down_.data(), d_model_, d_ff_);
    if (has_bias()) {
      w.up_bias = gatefold::tensor(up_bias_.data(), d_ff_);
      w.down_bias = gatefold::tensor(down_bias_.data(), d_model_);
    }
    return w;
  }

  double project(const std::vector<float>& matrix, const float* x, int64_t j) const {
    double sum = 0;
    for (int64_t k = 0; k < d_model_; ++k) sum += double(matrix[size_t(j * d_model_ + k)]) * x[k];
    return sum;
  }

  double hidden(const float* x, int64_t j) const {
    const double up = project(up_, x, j) + (has_bias() ? double(up_bias_[size_t(j)]) : 0.0);
    if (variant_ == "relu") return std::max(0.0, up);
    if (variant_ == "gelu") return 0.5 * up * (1 + std::erf(up / std::sqrt(2.0)));
    const double gate = project(gate_, x, j);
    return gate / (1 + std::exp(-gate)) * up;
  }

  double expected(const float* x, int64_t column) const {
    double sum = has_bias() ? double(down_bias_[size_t(column)]) : 0.0;
    for (int64_t j = 0; j < d_ff_; ++j) sum += hidden(x, j) * down_[size_t(column * d_ff_ + j)];
    return sum;
  }

  bool fail(int64_t row, int64_t column, double error) const {
    std::printf("%s: row %lld column %lld is off by %g\n", variant_.c_str(),
                static_cast<long long>(row), static_cast<long long>(column), error);
    return false;
  }

  gatefold::Library library_;
  std::string variant_;
  int64_t d_model_, d_ff_;
  std::vector<float> gate_, up_, down_, up_bias_, down_bias_;
  gatefold::Ffn ffn_;
};
