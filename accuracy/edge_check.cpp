#include "accuracy/edge_check.h"

#include <algorithm>
#include <cstring>

namespace gatefold {
namespace {

using At = GuardedMemory::At;
using Bytes = std::vector<uint8_t>;

/// How the rows of a tensor lie in their memory.
struct Placement {
  const char* name;
  At at;
  int64_t gap;  ///< elements between two rows
};

constexpr Placement kPlacements[] = {{"at the begin of a page", At::begin, 0},
                                     {"at the end of a page", At::end, 0},
                                     {"in rows 3 elements apart", At::end, 3}};

constexpr uint8_t kGapByte = 0xff;  // NaN in every dtype: a kernel that reads it shows it

/// Wide values and many rows tell nothing more of edges, and each case is several calls.
constexpr int64_t kMostRows = 20;
bool tells_something(const AccuracyCase& c) { return c.rows <= kMostRows && c.values != "wide"; }

/// Rows of x, a residual or y between pages that nothing may touch.
class PlacedRows {
 public:
  PlacedRows(DType dtype, int64_t rows, int64_t cols, const Placement& placement)
      : dtype_(dtype),
        rows_(rows),
        cols_(cols),
        stride_(cols + placement.gap),
        memory_(span(), placement.at) {
    std::memset(memory_.data(), kGapByte, span());
  }

  gf_rows view() const {
    gf_rows view = dense_rows(memory_.data(), dtype_, rows_, cols_);
    view.row_stride = stride_;
    return view;
  }
  void fill(const Bytes& dense) {
    for (int64_t row = 0; row < rows_; ++row)
      std::memcpy(at(row), dense.data() + row * row_bytes(), row_bytes());
  }
  void make_read_only() { memory_.make_read_only(); }

  Bytes dense() const {
    Bytes dense;
    for (int64_t row = 0; row < rows_; ++row)
      dense.insert(dense.end(), at(row), at(row) + row_bytes());
    return dense;
  }
  bool gaps_are_whole() const {
    for (int64_t row = 0; row + 1 < rows_; ++row) {
      const auto untouched = [](uint8_t byte) { return byte == kGapByte; };
      if (!std::all_of(at(row) + row_bytes(), at(row + 1), untouched)) return false;
    }
    return true;
  }

 private:
  int64_t size() const { return info(dtype_).bytes; }
  int64_t row_bytes() const { return cols_ * size(); }
  size_t span() const {
    return rows_ == 0 ? 0 : static_cast<size_t>(((rows_ - 1) * stride_ + cols_) * size());
  }
  uint8_t* at(int64_t row) const { return memory_.data() + row * stride_ * size(); }

  DType dtype_;
  int64_t rows_, cols_, stride_;
  GuardedMemory memory_;
};

std::string verdict(gf_status status, const PlacedRows& y, const Bytes& wanted) {
  if (status != GF_OK) return std::string(gf_status_name(status)) + ": " + gf_last_error();
  if (!y.gaps_are_whole()) return "the call wrote between the rows of y";
  return y.dense() == wanted ? "" : "other bits than elsewhere";
}

/// The residual in memory of its own, and in y's.
std::string run_with_residual(gf_ffn* block, const FfnSpec& ffn, const AccuracyCase& c,
                              const gf_rows& x, const Placement& placement, const Bytes& wanted) {
  const Bytes residual = stored_as(ffn.act(), c.residual);
  PlacedRows beside(ffn.act(), c.rows, x.cols, placement), y(ffn.act(), c.rows, x.cols, placement),
      in_place(ffn.act(), c.rows, x.cols, placement);
  beside.fill(residual);
  beside.make_read_only();
  in_place.fill(residual);
  const gf_rows added = beside.view(), out = y.view(), both = in_place.view();
  const std::string wrong = verdict(gf_ffn_run_residual(block, &x, &added, &out), y, wanted);
  if (!wrong.empty()) return wrong;
  const gf_status status = gf_ffn_run_residual(block, &x, &both, &both);
  const std::string wrong_in_place = verdict(status, in_place, wanted);
  return wrong_in_place.empty() ? "" : "residual in y's memory: " + wrong_in_place;
}

std::string run_placed(gf_ffn* block, const FfnSpec& ffn, const AccuracyCase& c,
                       const Placement& placement, const Bytes& wanted) {
  PlacedRows x(ffn.act(), c.rows, ffn.shape.d_model, placement);
  x.fill(stored_as(ffn.act(), c.x));
  x.make_read_only();
  const gf_rows in = x.view();
  if (ffn.residual) return run_with_residual(block, ffn, c, in, placement, wanted);
  PlacedRows y(ffn.act(), c.rows, ffn.shape.d_model, placement);
  const gf_rows out = y.view();
  return verdict(gf_ffn_run(block, &in, &out), y, wanted);
}

/// A block's weights, each tensor copied to the end of memory of its own that is only read.
class GuardedWeights {
 public:
  explicit GuardedWeights(const gf_ffn_weights& weights) : weights_(weights) {
    for (gf_tensor* tensor : {&weights_.gate, &weights_.up, &weights_.down, &weights_.gate_bias,
                              &weights_.up_bias, &weights_.down_bias}) {
      if (tensor->data) guard(*tensor);
    }
  }
  const gf_ffn_weights& get() const { return weights_; }

 private:
  /// Generated weights are dense f32.
  void guard(gf_tensor& tensor) {
    const auto bytes = static_cast<size_t>(tensor.rows * tensor.cols) * sizeof(float);
    auto piece = std::make_unique<GuardedMemory>(bytes, At::end);
    std::memcpy(piece->data(), tensor.data, bytes);
    piece->make_read_only();
    tensor.data = piece->data();
    pieces_.push_back(std::move(piece));
  }

  gf_ffn_weights weights_;
  std::vector<std::unique_ptr<GuardedMemory>> pieces_;
};

}  // namespace

EdgeCheck::EdgeCheck(const LoadedLibrary& library, const FfnData& data, const std::string& target,
                     int threads)
    : ffn_(data.ffn()) {
  const GuardedWeights weights(data.weights());
  const int64_t bytes = library.packed_bytes(ffn_.shape, threads, target);
  packed_ = std::make_unique<GuardedMemory>(static_cast<size_t>(bytes), At::end);
  library.pack(ffn_.shape, weights.get(), threads, target, packed_->data(), bytes);
  packed_->make_read_only();
  block_ = library.create_packed(ffn_.shape, packed_->data(), bytes, threads, target);
}

std::string EdgeCheck::complaint(const AccuracyCase& c, const std::vector<uint8_t>& y) const {
  if (!tells_something(c)) return "";
  for (const Placement& placement : kPlacements) {
    const std::string wrong = run_placed(block_.get(), ffn_, c, placement, y);
    if (!wrong.empty()) return std::string("x and y ") + placement.name + ": " + wrong;
  }
  return "";
}

}  // namespace gatefold
