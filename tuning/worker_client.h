#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tuning/worker_protocol.h"
#include "tuning/worker_session.h"

namespace gatefold {

/// gatefold-worker beside this program, in the folder above, or in ../bin of its prefix.
std::filesystem::path default_worker();

/// Has candidates measured by a worker process, and turns whatever they do to it into results: a
/// crash or hang is one candidate's, the others are measured by a new worker. What is no
/// candidate's fault, the loss of the connection say, is tried once more and then an error.
class WorkerClient {
 public:
  explicit WorkerClient(WorkerOptions options) : options_(std::move(options)) {}
  ~WorkerClient();
  WorkerClient(const WorkerClient&) = delete;
  WorkerClient& operator=(const WorkerClient&) = delete;

  /// The machine that measures; starts the worker. Throws gatefold::Error if that cannot be done.
  WorkerMachine machine();

  /// One result for each library, in order. `stopped` replies are empty of candidates. Throws
  /// gatefold::Error if no worker can be started, or it cannot serve the request as a whole.
  MeasureReply measure(const MeasureRequest& request);

  /// What the worker's machine reaches. Nothing if stopped.
  std::optional<Roof> roof(const RoofRequest& request);

  bool stopped() const { return options_.stop && options_.stop->load(); }
  void set_candidate_timeout(double seconds) { options_.candidate_timeout_s = seconds; }

 private:
  struct Attempt;
  struct Place;

  void start();
  bool send_libraries(MeasureRequest& request);
  Attempt attempt(const MeasureRequest& request);
  Attempt once(const MeasureRequest& request, Place& place);
  Attempt lost(WorkerProcess::Read how, const WorkerExit* exit, const Place& place);
  double timeout_s(const Place& place) const;
  bool try_alone(const MeasureRequest& request, std::vector<size_t>& left, MeasureReply& whole);

  WorkerOptions options_;
  std::unique_ptr<WorkerSession> session_;
  std::string cpu_;                           ///< of the machine that measured first
  std::map<std::string, std::string> names_;  ///< of libraries to be sent, by path
};

}  // namespace gatefold
