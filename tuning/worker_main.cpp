// gatefold-worker: loads, checks and times candidates, one JSON object a line on stdin and stdout
// (see tuning/worker_protocol.h). A process of its own, because candidates may do anything; what
// serves is a child of it, so that how that ends is told, and nothing it started stays.

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>

#include "accuracy/isa_environment.h"
#include "gatefold/gatefold.h"
#include "generator/guardian.h"
#include "spec/error.h"
#include "tuning/run_folder.h"
#include "tuning/worker_service.h"

namespace {

using gatefold::WorkerService;

constexpr const char* kHelp =
    "gatefold-worker: loads, checks and times candidates for `gatefold tune`; reads and writes "
    "one\n"
    "JSON object a line. Started by tune, or through ssh on the machine that is to be measured:\n"
    "  gatefold tune ... --worker \"ssh -o BatchMode=yes HOST gatefold-worker\"\n"
    "Options:\n"
    "  --lock FILE  the lock that is held while anything is timed (default: this machine's)\n"
    "  --version    its version and that of the lines\n"
    "  --help       this text\n";

int g_replies = -1;
volatile sig_atomic_t g_running = -1;

void write_all(const char* text, size_t size) {
  while (size > 0) {
    const ssize_t written = write(g_replies, text, size);
    if (written <= 0) _exit(1);  // nobody listens any more
    text += written;
    size -= static_cast<size_t>(written);
  }
}

void say(const std::string& line) {
  const std::string whole = line + "\n";
  write_all(whole.data(), whole.size());
}

/// Names the candidate that was running, then lets the signal do what it does. Only calls that are
/// allowed in a handler.
void on_fatal_signal(int number) {
  char digits[16];
  int at = sizeof digits;
  int value = g_running < 0 ? 0 : static_cast<int>(g_running);
  do {
    digits[--at] = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value > 0);
  if (g_running >= 0) {
    constexpr char kBefore[] = "{\"event\":\"signal\",\"index\":";
    write_all(kBefore, sizeof kBefore - 1);
    write_all(digits + at, sizeof digits - static_cast<size_t>(at));
    write_all("}\n", 2);
  }
  signal(number, SIG_DFL);
  raise(number);
}

void catch_fatal_signals() {
  static char stack[64 << 10];
  stack_t alternate = {};
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof stack;
  sigaltstack(&alternate, nullptr);
  struct sigaction action = {};
  action.sa_handler = on_fatal_signal;
  action.sa_flags = SA_ONSTACK | SA_NODEFER;
  for (int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP}) {
    sigaction(number, &action, nullptr);
  }
}

/// Replies go to a descriptor of their own: what a candidate prints must not look like one.
void keep_stdout_for_replies() {
  g_replies = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (g_replies < 0 || nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0) _exit(1);
}

gatefold::ArenaEvents events() {
  return {
      .candidate =
          [](int index) {
            g_running = index;
            say("{\"event\":\"candidate\",\"index\":" + std::to_string(index) + "}");
          },
      .sampling = {.round = [] { say("{\"event\":\"round\"}"); },
                   .running = [](int index) { g_running = index; }},
  };
}

int serve(const std::string& folder, const std::string& lock) {
  keep_stdout_for_replies();
  catch_fatal_signals();
  WorkerService::Options options;
  options.folder = folder;
  if (!lock.empty()) options.lock = lock;
  options.events = events();
  options.say = say;
  WorkerService service(std::move(options));
  for (std::string line; std::getline(std::cin, line);) {
    if (!service.serve(line)) return 0;
    g_running = -1;
  }
  return 0;
}

/// Begins with a line's end: what died may have been in the middle of a line.
void tell_end(int status) {
  const int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  if (number == 0 && code == 0) return;
  const std::string line = "\n{\"event\":\"ended\",\"signal\":" + std::to_string(number) +
                           ",\"code\":" + std::to_string(code) + "}\n";
  [[maybe_unused]] const ssize_t told = write(STDOUT_FILENO, line.data(), line.size());
}

/// -1 in the process that serves, else how it ended.
int split() {
  // On a terminal somebody tries the lines out by hand: there only the foreground may read.
  return isatty(STDIN_FILENO) ? -1 : gatefold::guard_rest_of_program(STDOUT_FILENO);
}

int run(const std::string& lock) {
  int status = 0;
  {
    const gatefold::RunFolder folder;
    status = split();
    if (status < 0) {
      const int code = serve(folder.path(), lock);
      if (!isatty(STDIN_FILENO)) _exit(code);  // the folder is the other process's to remove
      return code;
    }
  }
  tell_end(status);
  gatefold::end_as(status);
}

int failed(const std::string& what, int code) {
  std::fprintf(stderr, "gatefold-worker: error: %s\n", what.c_str());
  return code;
}

int wrong_use(const std::string& what) { return failed(what + "; see --help", 2); }

}  // namespace

int main(int argc, char** argv) {
  std::string lock;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--help" || word == "-h") return std::fputs(kHelp, stdout) < 0;
    if (word == "--version") {
      return std::printf("gatefold-worker %s, protocol %d\n", gf_version(),
                         gatefold::kWorkerProtocol) < 0;
    }
    if (word != "--lock") return wrong_use("unknown argument '" + word + "'");
    if (++i == argc) return wrong_use("--lock: missing, wanted a file");
    lock = argv[i];
  }
  try {
    gatefold::check_isa_in_environment();
    return run(lock);
  } catch (const gatefold::Error& e) {
    return failed(e.what(), e.exit_code());
  } catch (const std::exception& e) {
    return failed(e.what(), 1);
  }
}
