#include "accuracy/accuracy_cases.h"

#include <algorithm>
#include <limits>
#include <set>

namespace gatefold {
namespace {

/// Multiplications that the reference of one call may take: about half a second.
constexpr int64_t kReferenceProducts = int64_t{200} << 20;
/// Reaches the activations' saturated ends at the usual weight scale.
constexpr float kWide = 8;

int64_t most_compared(const FfnData& data) {
  const FfnSpec& ffn = data.ffn();
  return kReferenceProducts / (ffn.variant.matrices() * ffn.shape.d_model * ffn.shape.d_ff);
}

AccuracyCase plain_case(const FfnData& data, ReferenceRows& reference, const char* values,
                        int64_t rows) {
  AccuracyCase c;
  c.values = values;
  c.rows = rows;
  c.x = reference.x(0, rows);
  c.residual = data.residual(0, rows);
  c.compared = spread_rows(rows, most_compared(data));
  c.expected = reference.of(c.compared);
  return c;
}

/// What stands in a special row: one bad value, or nothing but huge ones.
enum class Special { nan, plus_inf, minus_inf, huge };

void spoil(float* row, int64_t d_model, Special special) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  switch (special) {
    case Special::nan:
      row[0] = std::numeric_limits<float>::quiet_NaN();
      return;
    case Special::plus_inf:
      row[d_model - 1] = kInf;
      return;
    case Special::minus_inf:
      row[d_model / 2] = -kInf;
      return;
    case Special::huge:
      std::fill(row, row + d_model, 1e30f);
      return;
  }
}

/// Every second row is special. The huge ones overflow f32 but not the reference, so that only
/// their neighbours are looked at.
AccuracyCase special_case(const FfnData& data, ReferenceRows& reference, int64_t rows) {
  constexpr Special kKinds[] = {Special::nan, Special::plus_inf, Special::minus_inf, Special::huge};
  const int64_t d_model = data.ffn().shape.d_model;
  AccuracyCase c;
  c.values = "special";
  c.rows = rows;
  c.x = reference.x(0, rows);
  c.residual = data.residual(0, rows);
  for (int64_t row = 0; row < rows; ++row) {
    const bool special = row % 2 == 0 && row / 2 < 4;
    if (!special) {
      c.untouched.push_back(row);
      continue;
    }
    float* x = c.x.data() + row * d_model;
    spoil(x, d_model, kKinds[row / 2]);
    if (kKinds[row / 2] == Special::huge) continue;
    c.compared.push_back(row);
    const float* residual = c.residual.empty() ? nullptr : c.residual.data() + row * d_model;
    append_rows(c.expected, reference_ffn(data.reference_block(), x, 1, {}, residual));
  }
  return c;
}

/// A NaN and infinities in the residual, each of which reaches the one output in its place.
AccuracyCase residual_case(const FfnData& data, ReferenceRows& reference, int64_t rows) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  AccuracyCase c = plain_case(data, reference, "residual", rows);
  const auto spoil_output = [&](int64_t index, float value) {
    const int64_t d_model = data.ffn().shape.d_model, row = index / d_model;
    c.residual[static_cast<size_t>(index)] = value;
    const auto compared = std::find(c.compared.begin(), c.compared.end(), row);
    if (compared == c.compared.end()) return;
    c.expected.y[static_cast<size_t>((compared - c.compared.begin()) * d_model + index % d_model)] =
        value;
  };
  const auto count = static_cast<int64_t>(c.residual.size());
  spoil_output(count / 2, -kInf);
  spoil_output(count - 1, kInf);
  spoil_output(0, std::numeric_limits<float>::quiet_NaN());
  return c;
}

}  // namespace

std::vector<int64_t> rows_to_check(const std::vector<const gf_kernel*>& kernels,
                                   const std::vector<int64_t>& wanted, int64_t most_rows) {
  std::set<int64_t> rows(wanted.begin(), wanted.end());
  for (const gf_kernel* kernel : kernels) {
    // Past the first row of an open bucket: its last register tile is a partial one.
    rows.insert(kernel->rows_max == INT64_MAX ? kernel->rows_min + 6 : kernel->rows_max);
  }
  std::erase_if(rows, [&](int64_t r) { return r < 0 || r > most_rows; });
  for (const gf_kernel* kernel : kernels) rows.insert(kernel->rows_min);
  return {rows.begin(), rows.end()};
}

std::vector<AccuracyCase> accuracy_cases(const FfnData& data, const std::vector<int64_t>& rows) {
  ReferenceRows unit(data, 1), wide(data, kWide);
  std::vector<AccuracyCase> cases;
  for (const int64_t r : rows) {
    cases.push_back(plain_case(data, unit, "unit", r));
    if (r == 0) continue;
    cases.push_back(special_case(data, unit, r));
    if (data.ffn().residual) cases.push_back(residual_case(data, unit, r));
    if (r <= 17) cases.push_back(plain_case(data, wide, "wide", r));
  }
  return cases;
}

}  // namespace gatefold
