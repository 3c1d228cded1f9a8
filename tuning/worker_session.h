#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "spec/error.h"
#include "tuning/worker_process.h"
#include "tuning/worker_protocol.h"

namespace gatefold {

struct WorkerOptions {
  /// The program and its arguments.
  std::vector<std::string> command;
  std::string shown = {};  ///< what messages call it; empty: the command's words
  /// Sent to the command first, which is a shipping_command then: the worker itself.
  std::shared_ptr<const std::string> program = {};
  /// It may not see this machine's files, and its own machine's lock and roof count.
  bool elsewhere = false;
  double greeting_timeout_s = 30;   ///< a connection is made in it
  double setup_timeout_s = 120;     ///< to make and pack the weights; to measure the roof
  double candidate_timeout_s = 30;  ///< to load and check one candidate
  double round_timeout_s = 20;      ///< of one round of timing, on top of one candidate's
  int64_t memory_bytes = 0;         ///< address space of the worker; 0: from the block's size
  std::function<void(const std::string&)> waiting = {};  ///< another program measures there
  const std::atomic<bool>* stop = nullptr;

  std::string name() const;
};

/// The worker or the way to it is gone, and nobody can say that a candidate did it.
struct WorkerLost : Error {
  explicit WorkerLost(const std::string& message) : Error(ErrorKind::failed, message) {}
};

/// A worker that runs and has greeted.
class WorkerSession {
 public:
  /// Throws gatefold::Error with the command and what it said instead of a greeting.
  explicit WorkerSession(const WorkerOptions& options);

  const WorkerMachine& machine() const { return machine_; }

  /// Each library once. Throws WorkerLost, or what the worker says against it. False if stopped.
  bool send(const SentLibrary& library);
  bool has(const std::string& library) const { return sent_.count(library) > 0; }

  /// Nothing if stopped.
  std::optional<Roof> roof(const RoofRequest& request);

  void write(const std::string& line);  ///< throws WorkerLost

  struct Heard {
    WorkerProcess::Read how;
    std::string text;
    std::optional<WorkerLine> line;  ///< nothing: it makes no sense
  };
  /// The next line that is not empty and not about waiting.
  Heard hear(double seconds);

  WorkerProcess& process() { return process_; }

  /// Ends it. "worker 'ssh host …': ended with status 255: no route to host"
  std::string last_words(WorkerProcess::Read how);
  /// "worker 'ssh host …': wrote 'Welcome!', wanted …"
  std::string complaint(const Heard& heard, const std::string& wanted);

 private:
  std::optional<WorkerLine> ask(const std::string& line, double seconds, WorkerLine::Kind wanted,
                                const std::string& name);
  void ship();
  void greet();

  const WorkerOptions& options_;
  WorkerProcess process_;
  WorkerMachine machine_;
  std::set<std::string> sent_;
};

std::string describe(const WorkerExit& exit, const std::string& errors);

}  // namespace gatefold
