#include "tuning/oracle.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "runtime/reference/compare.h"
#include "runtime/reference/tolerance.h"

namespace gatefold {
namespace {

void append(std::vector<double>& to, const std::vector<double>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

std::string position(int64_t index, const std::vector<int64_t>& rows, int64_t columns) {
  if (index < 0) return "its outputs";
  return "row " + std::to_string(rows.at(static_cast<size_t>(index / columns))) + " column " +
         std::to_string(index % columns);
}

}  // namespace

std::vector<int64_t> Oracle::sampled_rows(int64_t rows) {
  std::vector<int64_t> sample = {0, rows / 2, rows - 1};
  sample.erase(std::unique(sample.begin(), sample.end()), sample.end());
  return sample;
}

/// References of the rows that are not known yet, on as many threads as the block runs with.
void Oracle::compute(const std::vector<int64_t>& rows) {
  std::vector<std::pair<int64_t, ReferenceResult*>> missing;
  for (int64_t row : rows) {
    if (!rows_.contains(row)) missing.emplace_back(row, &rows_[row]);
  }
  std::atomic<size_t> next{0};
  const ReferenceBlock block = data_.reference_block();
  const auto work = [&] {
    for (size_t i = next++; i < missing.size(); i = next++) {
      const std::vector<float> x = data_.x(missing[i].first, 1);
      const std::vector<float> residual = data_.residual(missing[i].first, 1);
      *missing[i].second =
          reference_ffn(block, x.data(), 1, {}, residual.empty() ? nullptr : residual.data());
    }
  };
  std::vector<std::thread> others;
  for (int t = 1; t < data_.threads(); ++t) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
}

Oracle::Verdict Oracle::judge(const uint8_t* y, int64_t rows, Rounding rounding) {
  const FfnSpec& ffn = data_.ffn();
  const int64_t columns = ffn.shape.d_model;
  const std::vector<int64_t> sample = sampled_rows(rows);
  compute(sample);
  ReferenceResult expected;
  expected.rows = static_cast<int64_t>(sample.size());
  expected.columns = columns;
  std::vector<float> values;
  for (int64_t row : sample) {
    const ReferenceResult& r = rows_.at(row);
    append(expected.y, r.y);
    append(expected.scale, r.scale);
    append(expected.spread, r.spread);
    append(expected.drift, r.drift);
    for (int64_t c = 0; c < columns; ++c) {
      values.push_back(loaded_from(ffn.act(), y + (row * columns + c) * info(ffn.act()).bytes));
    }
  }
  const Tolerance allowed = rounding == Rounding::each_step
                                ? tolerance_of_rounded_steps(ffn.act(), columns, ffn.shape.d_ff)
                                : tolerance(ffn.act(), hidden_dtype(ffn, target_), columns,
                                            ffn.shape.d_ff, ffn.accumulate);
  const Comparison found = compare(values, expected, allowed);
  Verdict verdict;
  verdict.ok = acceptable(found, allowed, columns, ffn.shape.d_ff);
  verdict.error = {found.max_abs, found.rel_l2, found.scaled};
  if (!verdict.ok) {
    verdict.message = position(found.worst_index, sample, columns) + " is off: largest deviation " +
                      std::to_string(found.max_abs) + ", rel_l2 " + std::to_string(found.rel_l2);
  }
  return verdict;
}

}  // namespace gatefold
