#pragma once

#include <sys/types.h>

#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "generator/guardian.h"
#include "tuning/worker_exit.h"

namespace gatefold {

/// A program in a process group of its own, spoken to by lines on its stdin and stdout. It and all
/// that it started end with this object, and with this process if that dies first.
class WorkerProcess {
 public:
  enum class Read { line, closed, timed_out, stopped, too_long };

  /// `argv[0]` is a path, or a name to look for in PATH. Error if it cannot be started. The
  /// starting thread must live as long as the child: the kernel ends the child with the thread.
  explicit WorkerProcess(const std::vector<std::string>& argv);
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  ~WorkerProcess();

  /// False if the child no longer reads, or takes nothing for ten seconds.
  bool write(std::string_view bytes);
  bool write_line(std::string_view line) { return write(std::string(line) + "\n"); }

  /// Waits up to `seconds` for the next whole line; looks at `stop` meanwhile.
  Read read_line(std::string& line, double seconds, const std::atomic<bool>* stop = nullptr);

  /// Stops the whole group where it stands (back once that is done), and lets it go on.
  void suspend();
  void resume();

  /// Closes the child's stdin and gives it `grace_seconds` to end by itself; then kills it. What it
  /// started is gone in either case.
  WorkerExit finish(double grace_seconds);

  /// The end of what it wrote to stderr, one line.
  std::string stderr_tail() const;

 private:
  void start(const std::vector<std::string>& argv);
  std::optional<WorkerExit> try_reap();
  void close_pipes();

  GuardedChild guarded_;
  int to_child_ = -1, from_child_ = -1, errors_ = -1;
  std::string buffered_;
  std::optional<WorkerExit> exit_;
};

}  // namespace gatefold
