#include "cli/interrupt.h"

#include <csignal>

namespace gatefold::cli {
namespace {

std::atomic<bool> g_interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

void note_interrupt(int) { g_interrupted = true; }

}  // namespace

void set_up_signals() {
  struct sigaction action {};
  action.sa_handler = note_interrupt;
  // Reset after the first; system calls go on, so that no write is cut short.
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGHUP, &action, nullptr);
  std::signal(SIGXFSZ, SIG_IGN);
}

bool interrupted() { return g_interrupted; }

const std::atomic<bool>& interrupt_flag() { return g_interrupted; }

void throw_if_interrupted() {
  if (interrupted()) throw Interrupted();
}

}  // namespace gatefold::cli
