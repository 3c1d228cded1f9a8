#pragma once

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
  int64_t weight_bytes() const override {
    return report_of(copies_.front().get()).packed_weight_bytes;
  }
  void run(size_t copy, const gf_rows& x, const gf_rows& y) override {
    last_ = copy;
    require_ok(gf_ffn_run(copies_.at(copy).get(), &x, &y), "gf_ffn_run");
  }
  std::string description() const override {
    const gf_report report = report_of(copies_.at(last_).get());
    return std::string(report.kernel) + ": " + report.point + " (" + report.origin + ")";
  }

 private:
  const LoadedLibrary& library_;
  Shape shape_;
  std::string isa_;
  int threads_;
  std::vector<Block> copies_;
  size_t last_ = 0;
};

}  // namespace gatefold
