// A SwiGLU block with random weights: create it, run three rows, compare with the formula written
// out as loops, print the report.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <random>
#include <vector>

#include "gatefold/gatefold.hpp"
#include "mlp.h"  // generated; see CMakeLists.txt

namespace {

constexpr int kRows = 3, kModel = 128, kFf = 341;
using Values = std::vector<float>;

Values random_values(int count, int seed) {
  std::mt19937 random(static_cast<unsigned>(seed));
  std::uniform_real_distribution<float> uniform(-0.2f, 0.2f);
  Values values(static_cast<size_t>(count));
  for (float& value : values) value = uniform(random);
  return values;
}

const Values gate = random_values(kFf * kModel, 1);
const Values up = random_values(kFf * kModel, 2);
const Values down = random_values(kModel * kFf, 3);
const Values x = random_values(kRows * kModel, 4);

double dot(const float* a, const float* b, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += double(a[i]) * b[i];
  return sum;
}

// y[row][column] = sum over j of silu(gate_j . x) * (up_j . x) * down[column][j]
double expected(int row, int column) {
  const float* in = &x[size_t(row) * kModel];
  double sum = 0;
  for (int j = 0; j < kFf; ++j) {
    const double g = dot(&gate[size_t(j) * kModel], in, kModel);
    const double h = g / (1 + std::exp(-g)) * dot(&up[size_t(j) * kModel], in, kModel);
    sum += h * down[size_t(column) * kFf + size_t(j)];
  }
  return sum;
}

int count_wrong(const Values& y) {
  double worst = 0;
  int wrong = 0;
  for (int row = 0; row < kRows; ++row) {
    for (int column = 0; column < kModel; ++column) {
      const float value = y[size_t(row) * kModel + size_t(column)];
      const double wanted = expected(row, column);
      const double error = std::abs(value - wanted);
      if (!(error <= 1e-5)) ++wrong;  // a NaN is wrong, too
      worst = std::max(worst, error);
      if (column == 0) std::printf("y[%d][0] = %9.6f, loops %9.6f\n", row, value, wanted);
    }
  }
  std::printf("%d of %d values are off by more than 1e-5, the largest difference is %.1e\n", wrong,
              kRows * kModel, worst);
  return wrong;
}

int run() {
  const auto library = gatefold::Library::link(mlp_kernels());
  gf_ffn_weights weights = gatefold::weights();
  weights.gate = gatefold::tensor(gate.data(), kFf, kModel);
  weights.up = gatefold::tensor(up.data(), kFf, kModel);
  weights.down = gatefold::tensor(down.data(), kModel, kFf);
  gatefold::Ffn ffn(library, kModel, kFf, weights);

  Values y(x.size());
  ffn.run(x.data(), y.data(), kRows);
  const gf_report r = ffn.report();
  std::printf("kernel %s\n  on %s, %d threads, match %s\n  schedule %s (%s)\n", r.kernel, r.isa,
              r.threads, r.match, r.point, r.origin);
  return count_wrong(y) == 0 ? 0 : 1;
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "swiglu_cpp: %s\n", e.what());
    return 1;
  }
}
