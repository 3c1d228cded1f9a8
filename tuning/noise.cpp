#include "tuning/noise.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>

namespace gatefold {
namespace {

constexpr double kMsPerHarmlessSwitch = 25;

/// Stolen time is the eighth number of /proc/stat's first line, in ticks; 0 where there is none.
int64_t stolen_ticks() {
  static const int fd = open("/proc/stat", O_RDONLY | O_CLOEXEC);
  char text[512];
  const ssize_t got = fd < 0 ? -1 : pread(fd, text, sizeof text - 1, 0);
  if (got <= 0) return 0;
  text[got] = '\0';
  int64_t stolen = 0;
  const int found = std::sscanf(text, "cpu %*d %*d %*d %*d %*d %*d %*d %" SCNd64, &stolen);
  return found == 1 ? stolen : 0;
}

}  // namespace

bool too_many_switches(int64_t switches, double elapsed_ms) {
  return static_cast<double>(switches) > elapsed_ms / kMsPerHarmlessSwitch;
}

NoiseGuard::NoiseGuard() : start_(read()) {}

NoiseGuard::Counters NoiseGuard::read() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return {usage.ru_nivcsw, stolen_ticks()};
}

bool NoiseGuard::disturbed(double elapsed_ms) const {
  const Counters now = read();
  return now.stolen_ticks > start_.stolen_ticks ||
         too_many_switches(now.involuntary_switches - start_.involuntary_switches, elapsed_ms);
}

}  // namespace gatefold
