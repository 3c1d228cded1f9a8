// A gated block has three matrices, so at equal parameters it is two thirds as wide as a dense one:
// ReLU 512x2048 against SwiGLU 512x1365. Counts the parameters of both, checks one row of each
// against plain loops, and times both in turns: median ms of 25 calls, weights warm.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <random>
#include <string>
#include <vector>

#include "dense.h"  // generated, as is gated.h; see CMakeLists.txt
#include "gated.h"
#include "gatefold/gatefold.hpp"

namespace {

constexpr int64_t kModel = 512;
using Values = std::vector<float>;

Values random_values(int64_t count, float scale, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-scale, scale);
  Values values(static_cast<size_t>(count));
  for (float& value : values) value = uniform(random);
  return values;
}

double dot(const float* a, const float* b, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += double(a[i]) * b[i];
  return sum;
}

class Block {
 public:
  Block(const char* name, const gf_kernel_table* table)
      : name_(name),
        library_(gatefold::Library::link(table)),
        gated_(table->gated != 0),
        d_ff_(table->d_ff),
        gate_(random_values(gated_ ? d_ff_ * kModel : 0, 0.08f, 1)),
        up_(random_values(d_ff_ * kModel, 0.08f, 2)),
        down_(random_values(kModel * d_ff_, 0.08f, 3)),
        ffn_(library_, kModel, d_ff_, weights()) {}

  const std::string& name() const { return name_; }
  int64_t d_ff() const { return d_ff_; }
  size_t parameters() const { return gate_.size() + up_.size() + down_.size(); }

  double time_ms(const Values& x, Values& y) {
    const auto begin = std::chrono::steady_clock::now();
    ffn_.run(x.data(), y.data(), static_cast<int64_t>(x.size()) / kModel);
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
    return time.count();
  }

  /// The largest difference from plain loops in f64, of one row.
  double error(const float* x, const float* y) const {
    std::vector<double> hidden;
    for (int64_t j = 0; j < d_ff_; ++j) hidden.push_back(hidden_value(x, j));
    double worst = 0;
    for (int64_t column = 0; column < kModel; ++column) {
      double sum = 0;
      for (int64_t j = 0; j < d_ff_; ++j)
        sum += hidden[size_t(j)] * down_[size_t(column * d_ff_ + j)];
      const double error = std::abs(y[column] - sum);
      if (std::isnan(error)) return error;
      worst = std::max(worst, error);
    }
    return worst;
  }

 private:
  gf_ffn_weights weights() const {
    gf_ffn_weights w = gatefold::weights();
    if (gated_) w.gate = gatefold::tensor(gate_.data(), d_ff_, kModel);
    w.up = gatefold::tensor(up_.data(), d_ff_, kModel);
    w.down = gatefold::tensor(down_.data(), kModel, d_ff_);
    return w;
  }

  double hidden_value(const float* x, int64_t j) const {
    const double up = dot(&up_[size_t(j * kModel)], x, kModel);
    if (!gated_) return std::max(0.0, up);
    const double gate = dot(&gate_[size_t(j * kModel)], x, kModel);
    return gate / (1 + std::exp(-gate)) * up;
  }

  std::string name_;
  gatefold::Library library_;
  bool gated_;
  int64_t d_ff_;
  Values gate_, up_, down_;
  gatefold::Ffn ffn_;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// One line of the table.
struct Line {
  double error = 0;
  std::vector<double> medians;  ///< ms, for each of kRows
};

constexpr int64_t kRows[] = {1, 16, 128};

/// Both in turns, so that what disturbs the machine disturbs both; who begins changes.
void race(Block& a, Block& b, int64_t rows, Line& line_a, Line& line_b) {
  const Values x = random_values(rows * kModel, 1, 5);
  Values y(x.size());
  std::vector<double> times_a, times_b;
  a.time_ms(x, y);  // the first call gets its workspace
  b.time_ms(x, y);
  for (int round = 0; round < 25; ++round) {
    if (round % 2 == 0) times_a.push_back(a.time_ms(x, y));
    times_b.push_back(b.time_ms(x, y));
    if (round % 2 != 0) times_a.push_back(a.time_ms(x, y));
  }
  line_a.medians.push_back(median(times_a));
  line_b.medians.push_back(median(times_b));
}

double error_of(Block& block) {
  const Values x = random_values(kModel, 1, 4);
  Values y(x.size());
  block.time_ms(x, y);
  return block.error(x.data(), y.data());
}

void print(const Block& block, const Line& line) {
  std::printf("%-14s  %5lld  %10zu  %9.1e", block.name().c_str(),
              static_cast<long long>(block.d_ff()), block.parameters(), line.error);
  for (const double ms : line.medians) std::printf("  %9.4f", ms);
  std::printf("\n");
}

void print_ratio(const Block& a, const Block& b, const Line& line_a, const Line& line_b) {
  const double parameters = double(a.parameters()) / double(b.parameters());
  std::printf("%-14s  %5s  %10.4f  %9s", "ratio", "", parameters, "");
  for (size_t i = 0; i < line_a.medians.size(); ++i) {
    std::printf("  %8.3fx", line_a.medians[i] / line_b.medians[i]);
  }
  std::printf("\n");
}

int run() {
  Block dense("relu", dense_kernels()), gated("swiglu", gated_kernels());
  Line dense_line{error_of(dense), {}}, gated_line{error_of(gated), {}};
  for (const int64_t rows : kRows) race(dense, gated, rows, dense_line, gated_line);
  std::printf("%-14s  %5s  %10s  %9s", "512 wide, ms", "d_ff", "parameters", "max error");
  for (const int64_t rows : kRows) std::printf("  %3lld rows", static_cast<long long>(rows));
  std::printf("\n");
  print(dense, dense_line);
  print(gated, gated_line);
  print_ratio(gated, dense, gated_line, dense_line);
  return dense_line.error <= 1e-5 && gated_line.error <= 1e-5 ? 0 : 1;
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "two_thirds: %s\n", e.what());
    return 1;
  }
}
