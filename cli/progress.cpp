#include "cli/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

#include "cli/output.h"

namespace gatefold::cli {
namespace {

/// A line longer than the terminal would wrap and could not be overwritten.
size_t terminal_width() {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return known ? size.ws_col : 80;
}

}  // namespace

Progress::Progress() : terminal_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() { clear(); }

void Progress::show(const std::string& text) {
  if (!terminal_) return;
  print_stderr("\r\033[K" + text.substr(0, terminal_width() - 1));
  std::fflush(stderr);
  shown_ = true;
}

void Progress::clear() {
  if (!shown_) return;
  print_stderr("\r\033[K");
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace gatefold::cli
