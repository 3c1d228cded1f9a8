#pragma once

#include <functional>
#include <optional>
#include <string>

#include "tuning/measure_lock.h"
#include "tuning/roof.h"
#include "tuning/worker_client.h"

namespace gatefold {

/// Times candidates while nobody else measures on the machine that does it, and knows what that
/// machine reaches: this one, or a worker's elsewhere, whose lock and roof are the worker's then.
class Measurer {
 public:
  struct Options {
    WorkerOptions worker;
    LockOptions lock;           ///< of this machine
    std::optional<Roof> known;  ///< is not measured then
    Target target = Target::x86_avx2;
    int threads = 1;
    std::function<void(const std::string& phase)> report;
  };

  explicit Measurer(Options options);

  /// The roof is measured first if it was not yet. Empty if stopped.
  MeasureReply measure(MeasureRequest request);

  const Roof& roof() const { return roof_; }
  void measure_roof_again();  ///< what the machine could not give before counts too
  void set_candidate_timeout(double seconds) { worker_.set_candidate_timeout(seconds); }

 private:
  bool add_roof();
  MeasureReply measure_here(const MeasureRequest& request);

  Options options_;
  WorkerClient worker_;
  Roof roof_;
};

}  // namespace gatefold
