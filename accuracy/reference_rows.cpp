#include "accuracy/reference_rows.h"

#include <algorithm>

namespace gatefold {
namespace {

void append(std::vector<double>& to, const std::vector<double>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

std::vector<float> ReferenceRows::x(int64_t first, int64_t count) const {
  std::vector<float> values = data_.x(first, count);
  for (float& value : values) value *= factor_;
  return values;
}

const ReferenceResult& ReferenceRows::row(int64_t index) {
  const auto known = rows_.find(index);
  if (known != rows_.end()) return known->second;
  const std::vector<float> residual = data_.residual(index, 1);
  return rows_[index] = reference_ffn(data_.reference_block(), x(index, 1).data(), 1, {},
                                      residual.empty() ? nullptr : residual.data());
}

ReferenceResult ReferenceRows::of(const std::vector<int64_t>& rows) {
  ReferenceResult result;
  for (const int64_t index : rows) append_rows(result, row(index));
  return result;
}

void append_rows(ReferenceResult& to, const ReferenceResult& more) {
  to.rows += more.rows;
  to.columns = more.columns;
  append(to.y, more.y);
  append(to.scale, more.scale);
  append(to.spread, more.spread);
  append(to.drift, more.drift);
}

std::vector<int64_t> spread_rows(int64_t rows, int64_t most) {
  std::vector<int64_t> sample;
  const int64_t count = std::min(rows, std::max<int64_t>(2, most));
  for (int64_t i = 0; i < count; ++i)
    sample.push_back(count == 1 ? 0 : i * (rows - 1) / (count - 1));
  return sample;
}

}  // namespace gatefold
