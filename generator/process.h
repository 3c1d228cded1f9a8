#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "generator/guardian.h"
#include "spec/error.h"

namespace gatefold {

/// Limits of a child process; 0 means none.
struct ProcessLimits {
  double timeout_s = 0;
  int64_t memory_bytes = 0;
  const std::atomic<bool>* stop = nullptr;  ///< of run_processes: once true the rest is killed
};

struct ProcessResult {
  int exit_code = 0;  ///< -1 if killed
  int signal = 0;     ///< 0 unless killed
  bool timed_out = false;
  std::string errors;  ///< standard error, its last 4 KiB
  bool ok() const { return exit_code == 0 && signal == 0 && !timed_out; }
};

/// For people, to stand after the program's name: "exited with 1: no such file".
std::string how_it_ended(const ProcessResult& result, double timeout_s);

/// Runs each command (argv, no shell) with standard output and input on /dev/null, at most `jobs`
/// at once, each in a process group of its own that dies with its limits or with this process, and
/// with it whatever it started.
/// `done(i, result)` is called on this thread as each ends; when it returns false or
/// `limits.stop` is set the rest is killed.
template <typename Done>
void run_processes(const std::vector<std::vector<std::string>>& commands, int jobs,
                   const ProcessLimits& limits, Done&& done);

/// The program that a name means: itself if it holds a '/', else the first on the PATH; empty:
/// none.
std::string find_program(const std::string& name);
/// $CC, else "cc".
std::string c_compiler();

/// A running child.
class ChildProcess {
 public:
  ChildProcess(const std::vector<std::string>& argv, const ProcessLimits& limits);
  ~ChildProcess();
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;

  bool poll(int wait_ms);  ///< true once it has ended; kills it at its time limit
  const ProcessResult& result() const { return result_; }

 private:
  void drain();
  void reap(int status);

  GuardedChild guarded_;
  int error_pipe_ = -1;
  double deadline_ = 0;
  ProcessResult result_;
};

template <typename Done>
void run_processes(const std::vector<std::vector<std::string>>& commands, int jobs,
                   const ProcessLimits& limits, Done&& done) {
  std::vector<std::pair<size_t, ChildProcess>> running;
  size_t next = 0;
  bool go_on = true;
  const auto stopped = [&] { return limits.stop && *limits.stop; };
  while (go_on && !stopped() && (next < commands.size() || !running.empty())) {
    while (next < commands.size() && running.size() < size_t(jobs > 0 ? jobs : 1)) {
      running.emplace_back(next, ChildProcess(commands[next], limits));
      ++next;
    }
    std::vector<std::pair<size_t, ChildProcess>> still;
    for (auto& [index, child] : running) {
      if (!go_on || !child.poll(5)) {
        still.emplace_back(index, std::move(child));
      } else {
        go_on = done(index, child.result());
      }
    }
    running = std::move(still);
  }
}

}  // namespace gatefold
