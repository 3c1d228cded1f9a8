// gatefold-worker: loads, checks and times candidates, one JSON object a line on stdin and stdout
// (see tuning/worker_protocol.h). A process of its own, because candidates may do anything.

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <string>

#include "spec/error.h"
#include "tuning/arena.h"
#include "tuning/worker_protocol.h"

namespace {

using gatefold::Arena;
using gatefold::WorkerRequest;

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

/// One request, one reply.
std::string answer(Arena& arena, const gatefold::MeasureRequest& request) {
  try {
    return reply_line(arena.measure(request));
  } catch (const std::bad_alloc&) {
    return gatefold::error_line("out of memory");
  } catch (const std::exception& e) {
    return gatefold::error_line(e.what());
  }
}

int serve() {
  Arena arena(events());
  for (std::string line; std::getline(std::cin, line);) {
    try {
      const WorkerRequest request = gatefold::parse_request_line(line);
      if (request.kind == WorkerRequest::Kind::quit) return 0;
      say(answer(arena, request.measure));
    } catch (const gatefold::Error& e) {
      say(gatefold::error_line(e.what()));
    }
    g_running = -1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) {
    const bool help = std::string(argv[1]) == "--help" || std::string(argv[1]) == "-h";
    std::fputs("gatefold-worker: measures candidates; reads and writes one JSON object a line\n",
               help ? stdout : stderr);
    return help ? 0 : 2;
  }
  keep_stdout_for_replies();
  catch_fatal_signals();
  return serve();
}
