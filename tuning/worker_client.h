#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tuning/worker_process.h"
#include "tuning/worker_protocol.h"

namespace gatefold {

struct WorkerOptions {
  /// The program and its arguments.
  std::vector<std::string> command;
  double setup_timeout_s = 120;     ///< to make and pack the weights
  double candidate_timeout_s = 30;  ///< to load and check one candidate
  double round_timeout_s = 20;      ///< of one round of timing, on top of one candidate's
  int64_t memory_bytes = 0;         ///< address space of the worker; 0: from the block's size
  const std::atomic<bool>* stop = nullptr;
};

/// gatefold-worker beside this program, in the folder above, or in ../bin of its prefix.
std::filesystem::path default_worker();

/// Has candidates measured by a worker process, and turns whatever they do to it into results: a
/// crash or hang is one candidate's, the others are measured by a new worker.
class WorkerClient {
 public:
  explicit WorkerClient(WorkerOptions options) : options_(std::move(options)) {}

  /// One result for each library, in order. `stopped` replies are empty of candidates. Throws
  /// gatefold::Error if no worker can be started, or it cannot serve the request as a whole.
  MeasureReply measure(const MeasureRequest& request);

  bool stopped() const { return options_.stop && options_.stop->load(); }
  void set_candidate_timeout(double seconds) { options_.candidate_timeout_s = seconds; }

 private:
  struct Attempt;

  Attempt attempt(const MeasureRequest& request);
  Attempt lost(WorkerProcess::Read how, int candidate, bool sampling);
  double timeout_s(int candidate, bool sampling) const;
  bool try_alone(const MeasureRequest& request, std::vector<size_t>& left, MeasureReply& whole);
  void start(const MeasureRequest& request);

  WorkerOptions options_;
  std::unique_ptr<WorkerProcess> worker_;
};

}  // namespace gatefold
