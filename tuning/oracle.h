#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "accuracy/ffn_data.h"
#include "runtime/reference/reference.h"
#include "tuning/trial.h"

namespace gatefold {

/// The f64 reference of a few rows of one block, kept from request to request: the reference of a
/// large block takes longer than the kernels that it judges.
class Oracle {
 public:
  /// `data` must outlive it; `target` decides how the hidden layer is rounded.
  Oracle(const FfnData& data, Target target) : data_(data), target_(target) {}

  struct Verdict {
    bool ok = false;
    TrialError error;
    std::string message;
  };

  /// How an implementation rounds: as our kernels do, or after each of its steps.
  enum class Rounding { fused, each_step };

  /// Compares all columns of the sampled rows of y, dense [rows, d_model] in the type of x and y.
  Verdict judge(const uint8_t* y, int64_t rows, Rounding rounding = Rounding::fused);

  /// The first, the middle and the last row.
  static std::vector<int64_t> sampled_rows(int64_t rows);

 private:
  void compute(const std::vector<int64_t>& rows);

  const FfnData& data_;
  Target target_;
  std::map<int64_t, ReferenceResult> rows_;
};

}  // namespace gatefold
