#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/contender.h"

namespace gatefold {

/// Copies of one block through a generated library: what both of our own contenders are.
class LibraryCopies : public Contender {
 public:
  LibraryCopies(const LoadedLibrary& library, const Contest& contest)
      : library_(library),
        shape_(contest.ffn.shape),
        isa_(contest.isa),
        threads_(contest.threads) {}

  void add_copy(const FfnData& data) override {
    copies_.push_back(library_.create(shape_, data.weights(), threads_, isa_));
  }
  bool set_residual(const gf_rows& residual) override {
    residual_ = residual;
    return true;
  }
  int64_t weight_bytes() const override {
    return report_of(copies_.front().get()).packed_weight_bytes;
  }
  CallTime run(size_t before, size_t copy, const gf_rows& x, const gf_rows& y) override {
    scratch_.resize(static_cast<size_t>(y.rows * y.cols) * sizeof(float));
    gf_rows other = y;  // y itself shows what the timed call leaves out
    other.data = scratch_.data();
    call(before, x, other);
    return timed_call([&] { call(copy, x, y); });
  }
  std::string description() const override {
    const gf_report report = report_of(copies_.at(last_).get());
    return std::string(report.kernel) + ": " + report.point + " (" + report.origin + ")";
  }

 private:
  void call(size_t copy, const gf_rows& x, const gf_rows& y) {
    last_ = copy;
    gf_ffn* const block = copies_.at(copy).get();
    if (residual_) {
      require_ok(gf_ffn_run_residual(block, &x, &*residual_, &y), "gf_ffn_run_residual");
    } else {
      require_ok(gf_ffn_run(block, &x, &y), "gf_ffn_run");
    }
  }

  const LoadedLibrary& library_;
  Shape shape_;
  std::string isa_;
  int threads_;
  std::vector<Block> copies_;
  std::optional<gf_rows> residual_;
  std::vector<uint8_t> scratch_;
  size_t last_ = 0;
};

}  // namespace gatefold
