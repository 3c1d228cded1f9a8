#pragma once

#include <memory>
#include <string>
#include <vector>

#include "accuracy/guarded_output.h"
#include "gatefold/gatefold.h"
#include "tuning/candidate_library.h"
#include "tuning/oracle.h"
#include "tuning/trial.h"
#include "tuning/weight_rotation.h"
#include "tuning/worker_protocol.h"

namespace gatefold {

/// What every call of a request is given, as stored.
struct StoredInputs {
  std::vector<uint8_t> x;
  std::vector<uint8_t> residual;  ///< empty if the block adds none
  bool operator==(const StoredInputs&) const = default;
};

/// One candidate of a request: its library, its kernel for the request's rows, and what is known
/// of it so far.
class Contestant {
 public:
  /// Loads the library; result().kind tells if it does not fit the request.
  void open(const std::string& path, const MeasureRequest& request);

  /// Runs twice; races from then on if the result is right, and twice the same.
  void check(const MeasureRequest& request, StoredInputs& inputs, Oracle& oracle);

  /// Milliseconds of one call, the weights taken from the rotation. NaN, and out of the race, if a
  /// call fails or gives other bits than the checked run. A sample that the system interfered with
  /// is taken again, up to `attempts` times in all; then the fastest counts, since interference
  /// only slows.
  double timed_sample(const MeasureRequest& request, const StoredInputs& inputs, int attempts);

  void drop() { racing_ = false; }
  bool racing() const { return racing_; }
  bool opened() const { return kernel_ != nullptr; }
  TrialResult& result() { return result_; }

  const gf_kernel_table& table() const { return library_.table(); }
  const gf_kernel& kernel() const { return *kernel_; }
  void place(WeightRotation& rotation, Route route);
  const WeightRotation* rotation() const { return rotation_; }

 private:
  void refuse(TrialKind kind, const std::string& message);
  struct Rows;
  gf_status run(const Rows& inputs);
  bool run_checked(const Rows& inputs);

  CandidateLibrary library_;
  const gf_kernel* kernel_ = nullptr;
  WeightRotation* rotation_ = nullptr;
  Route route_;
  std::unique_ptr<GuardedOutput> y_;
  std::vector<uint8_t> expected_;  ///< the checked output, bit by bit
  int calls_ = 1;                  ///< of one sample
  bool racing_ = false;
  TrialResult result_;
};

}  // namespace gatefold
