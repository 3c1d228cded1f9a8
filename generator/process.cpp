#include "generator/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <utility>

#include "spec/error.h"
#include "spec/names.h"

namespace gatefold {
namespace {

constexpr size_t kKeptErrors = 4096;

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// In the child, after fork: only async-signal-safe calls.
[[noreturn]] void become(char* const* argv, int error_pipe, const ProcessLimits& limits) {
  const int null = open("/dev/null", O_RDWR);
  dup2(null, 0);
  dup2(null, 1);
  dup2(error_pipe, 2);
  if (limits.memory_bytes > 0) {
    const rlimit bound{rlim_t(limits.memory_bytes), rlim_t(limits.memory_bytes)};
    setrlimit(RLIMIT_AS, &bound);
  }
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  execv(argv[0], argv);
  const char* why = strerror(errno);
  (void)!write(2, why, strlen(why));
  _exit(127);
}

/// The path itself if it can be run.
std::string if_executable(const std::filesystem::path& path) {
  std::error_code error;
  const bool found =
      std::filesystem::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
  return found ? path.string() : "";
}

}  // namespace

std::string how_it_ended(const ProcessResult& r, double timeout_s) {
  if (r.timed_out) return "took longer than " + shortest(float(timeout_s)) + " s";
  std::string how = r.signal ? "was killed by signal " + std::to_string(r.signal)
                             : "exited with " + std::to_string(r.exit_code);
  return r.errors.empty() ? how : how + ": " + r.errors.substr(r.errors.rfind('\n') + 1);
}

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return if_executable(name);
  const char* path = getenv("PATH");
  std::istringstream folders(path ? path : "/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string found = if_executable(std::filesystem::path(folder) / name);
    if (!found.empty()) return found;
  }
  return "";
}

std::string c_compiler() {
  const char* cc = getenv("CC");
  return cc && *cc ? cc : "cc";
}

ChildProcess::ChildProcess(const std::vector<std::string>& argv, const ProcessLimits& limits) {
  std::vector<char*> arguments;
  for (const std::string& a : argv) arguments.push_back(const_cast<char*>(a.c_str()));
  arguments.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail(argv[0] + ": cannot make a pipe: " + strerror(errno));
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  guarded_ = start_guarded([&] { become(arguments.data(), ends[1], limits); });
  const int error = errno;
  close(ends[1]);
  error_pipe_ = ends[0];
  if (guarded_.guardian < 0) {
    const std::string why = strerror(error);
    close(error_pipe_);
    fail(argv[0] + ": cannot start a process: " + why);
  }
  deadline_ = limits.timeout_s > 0 ? now_s() + limits.timeout_s : 0;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : guarded_(std::exchange(other.guarded_, {})),
      error_pipe_(std::exchange(other.error_pipe_, -1)),
      deadline_(other.deadline_),
      result_(std::move(other.result_)) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(guarded_, other.guarded_);
  std::swap(error_pipe_, other.error_pipe_);
  std::swap(deadline_, other.deadline_);
  std::swap(result_, other.result_);
  return *this;
}

ChildProcess::~ChildProcess() {
  if (guarded_.guardian > 0) end_guarded(guarded_);
  if (error_pipe_ >= 0) close(error_pipe_);
}

void ChildProcess::drain() {
  char buffer[4096];
  for (ssize_t n; (n = read(error_pipe_, buffer, sizeof buffer)) > 0;) {
    result_.errors.append(buffer, size_t(n));
    if (result_.errors.size() > 2 * kKeptErrors) {
      result_.errors.erase(0, result_.errors.size() - kKeptErrors);
    }
  }
}

void ChildProcess::reap(int status) {
  guarded_ = {};
  drain();
  result_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  result_.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  while (!result_.errors.empty() && result_.errors.back() == '\n') result_.errors.pop_back();
}

bool ChildProcess::poll(int wait_ms) {
  if (guarded_.guardian < 0) return true;
  pollfd waiting{error_pipe_, POLLIN, 0};
  ::poll(&waiting, 1, wait_ms);
  drain();
  if (waiting.revents & POLLHUP) usleep(1000);  // the pipe closes a moment before the process ends
  int status = 0;
  if (waitpid(guarded_.guardian, &status, WNOHANG) == guarded_.guardian) {
    reap(status);
    return true;
  }
  if (deadline_ == 0 || now_s() < deadline_) return false;
  result_.timed_out = true;
  reap(end_guarded(guarded_));
  return true;
}

}  // namespace gatefold
