#include "tuning/worker_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <thread>
#include <utility>

#include "spec/error.h"

namespace gatefold {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kLongestLine = size_t{64} << 20;
constexpr double kWriteSeconds = 10;

double seconds_until(Clock::time_point end) {
  return std::chrono::duration<double>(end - Clock::now()).count();
}

Clock::time_point after(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(std::clamp(seconds, 0.0, 1e8)));
}

/// Between fork and exec: async-signal-safe calls only, since other threads may hold locks.
[[noreturn]] void become(char* const* argv, const int* fds) {
  for (int fd = 0; fd < 3; ++fd) dup2(fds[fd], fd);
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  execvp(argv[0], argv);
  const int error = errno;
  [[maybe_unused]] const ssize_t told = write(fds[3], &error, sizeof error);
  _exit(127);
}

WorkerExit exit_of(int status) {
  if (WIFSIGNALED(status)) return {0, WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

/// Stopped, or gone: the letter after the name, which stands in brackets and may hold anything.
bool stands_still(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  if (!std::getline(file, line)) return true;
  const size_t bracket = line.rfind(')');
  return bracket == std::string::npos || bracket + 2 >= line.size() ||
         std::strchr("TtZX", line[bracket + 2]) != nullptr;
}

/// Two connected descriptors above 2, so that dup2 to 0, 1 and 2 never meets one of them.
struct Channel {
  int ours = -1, theirs = -1;

  /// A socket where we write (a pipe whose reader died would end us with SIGPIPE), else a pipe.
  explicit Channel(bool we_write) {
    int fds[2];
    const int made =
        we_write ? socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) : pipe2(fds, O_CLOEXEC);
    if (made != 0) fail(std::string("cannot make a pipe: ") + std::strerror(errno));
    ours = moved_up(fds[0]), theirs = moved_up(fds[1]);
  }
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  ~Channel() {
    if (ours >= 0) close(ours);
    if (theirs >= 0) close(theirs);
  }
  int take_ours() { return std::exchange(ours, -1); }
  void close_theirs() { close(std::exchange(theirs, -1)); }

 private:
  static int moved_up(int fd) {
    if (fd > 2) return fd;
    const int moved = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    close(fd);
    return moved;
  }
};

}  // namespace

WorkerProcess::WorkerProcess(const std::vector<std::string>& argv) {
  errors_ = memfd_create("gatefold-worker-stderr", MFD_CLOEXEC);
  if (errors_ < 0) fail(std::string("memfd_create: ") + std::strerror(errno));
  try {
    start(argv);
  } catch (...) {
    close_pipes();
    throw;
  }
}

void WorkerProcess::start(const std::vector<std::string>& argv) {
  Channel input(true), output(false), failure(false);
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const int fds[] = {input.theirs, output.theirs, errors_, failure.theirs};
  guarded_ = start_guarded([&] { become(words.data(), fds); });
  if (guarded_.guardian < 0) {
    fail(argv.at(0) + ": cannot start a process: " + std::strerror(errno));
  }
  failure.close_theirs();
  int error = 0;
  if (read(failure.ours, &error, sizeof error) == sizeof error) {
    waitpid(guarded_.guardian, nullptr, 0);
    guarded_ = {};
    fail(argv.at(0) + ": cannot be started: " + std::strerror(error));
  }
  to_child_ = input.take_ours();
  from_child_ = output.take_ours();
}

WorkerProcess::~WorkerProcess() {
  finish(0);
  close_pipes();
}

void WorkerProcess::close_pipes() {
  for (int* fd : {&to_child_, &from_child_, &errors_}) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
  }
}

bool WorkerProcess::write(std::string_view rest) {
  auto end = after(kWriteSeconds);
  while (!rest.empty()) {
    const ssize_t sent =
        to_child_ < 0 ? -1 : send(to_child_, rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      rest.remove_prefix(static_cast<size_t>(sent));
      end = after(kWriteSeconds);
    } else if (sent < 0 && errno == EAGAIN && seconds_until(end) > 0) {
      pollfd wait = {to_child_, POLLOUT, 0};
      poll(&wait, 1, 100);
    } else if (sent >= 0 || errno != EINTR) {
      return false;
    }
  }
  return true;
}

WorkerProcess::Read WorkerProcess::read_line(std::string& line, double seconds,
                                             const std::atomic<bool>* stop) {
  const auto end = after(seconds);
  while (true) {
    if (const size_t newline = buffered_.find('\n'); newline != std::string::npos) {
      line = buffered_.substr(0, newline);
      buffered_.erase(0, newline + 1);
      return Read::line;
    }
    if (buffered_.size() > kLongestLine) return Read::too_long;
    if (stop && stop->load()) return Read::stopped;
    const double left = seconds_until(end);
    if (left <= 0) return Read::timed_out;
    pollfd wait = {from_child_, POLLIN, 0};
    const int ready = poll(&wait, 1, std::min(100, static_cast<int>(left * 1000) + 1));
    if (ready <= 0) continue;
    char chunk[65536];
    const ssize_t got = read(from_child_, chunk, sizeof chunk);
    if (got == 0 || (got < 0 && errno != EINTR)) return Read::closed;
    if (got > 0) buffered_.append(chunk, static_cast<size_t>(got));
  }
}

void WorkerProcess::suspend() {
  if (guarded_.child < 0) return;
  kill(-guarded_.child, SIGSTOP);
  const auto end = after(1);
  while (!stands_still(guarded_.child) && seconds_until(end) > 0) std::this_thread::yield();
}

void WorkerProcess::resume() {
  if (guarded_.child >= 0) kill(-guarded_.child, SIGCONT);
}

std::optional<WorkerExit> WorkerProcess::try_reap() {
  int status = 0;
  if (waitpid(guarded_.guardian, &status, WNOHANG) == 0) return std::nullopt;
  guarded_ = {};
  return exit_of(status);
}

WorkerExit WorkerProcess::finish(double grace_seconds) {
  if (exit_ || guarded_.guardian < 0) return exit_.value_or(WorkerExit{127, 0});
  if (to_child_ >= 0) close(std::exchange(to_child_, -1));
  if (grace_seconds > 0) resume();
  const auto end = after(grace_seconds);
  while (!(exit_ = try_reap())) {
    if (seconds_until(end) <= 0) {
      exit_ = exit_of(end_guarded(std::exchange(guarded_, {})));
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return *exit_;
}

std::string WorkerProcess::stderr_tail() const {
  constexpr off_t kTail = 400;
  const off_t size = errors_ < 0 ? 0 : lseek(errors_, 0, SEEK_END);
  if (size <= 0) return {};
  std::string text(static_cast<size_t>(std::min(size, kTail)), '\0');
  const ssize_t got = pread(errors_, text.data(), text.size(), std::max<off_t>(0, size - kTail));
  text.resize(static_cast<size_t>(std::max<ssize_t>(0, got)));
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace gatefold
