#include "tests/support/process_tree.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>

namespace gatefold::test {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// Until `done` or the time is over; whether it was done.
template <typename Done>
bool wait_until(Done done, double seconds) {
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (!done()) {
    if (Clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

bool reaped_all() {
  while (waitpid(-1, nullptr, WNOHANG) > 0) continue;
  return waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD;
}

void kill_children() {
  std::ifstream children("/proc/self/task/" + std::to_string(getpid()) + "/children");
  for (pid_t pid; children >> pid;) kill(pid, SIGKILL);
}

std::string command_line(const fs::path& process) {
  std::ifstream file(process / "cmdline", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

void take_in_orphans() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

bool no_child_left(double seconds) {
  if (wait_until(reaped_all, seconds)) return true;
  wait_until([] { return kill_children(), reaped_all(); }, 5);
  return false;
}

int processes_with(const std::string& text) {
  int count = 0;
  std::error_code error;
  for (fs::directory_iterator at("/proc", error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename();
    if (!std::isdigit(static_cast<unsigned char>(name[0])) || name == std::to_string(getpid())) {
      continue;
    }
    if (command_line(at->path()).find(text) != std::string::npos) ++count;
  }
  return count;
}

int processes_left_with(const std::string& text, double seconds) {
  wait_until([&] { return processes_with(text) == 0; }, seconds);
  return processes_with(text);
}

}  // namespace gatefold::test
