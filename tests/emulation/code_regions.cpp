#include "tests/emulation/code_regions.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "tests/emulation/core.h"
#include "tests/emulation/guest_memory.h"

namespace gatefold::emulation {
namespace {

struct Region {
  uint64_t begin, end;
  bool file;          ///< of a file; else a JIT compiler may write other code there
  uint64_t checksum;  ///< of the latter
};

constexpr int kMostRegions = 256;
Region regions[kMostRegions];
int count;
std::atomic<bool> stale;  // something was unloaded

bool holds(const Region& region, uint64_t address) {
  return address >= region.begin && address < region.end;
}

uint64_t checksum(const Region& region) {
  uint64_t a = 0, b = 0x9e3779b97f4a7c15;
  const auto* end = reinterpret_cast<const uint64_t*>(region.end);
  for (const auto* p = reinterpret_cast<const uint64_t*>(region.begin); p != end; p += 2) {
    a = (a ^ p[0]) * 0xff51afd7ed558ccd;
    b = (b ^ p[1]) * 0xc4ceb9fe1a85ec53;
  }
  return a ^ b;
}

/// "begin-end rwxp offset device inode path"
bool parse_if_holds(const char* line, uint64_t address, Region& region) {
  char* rest = nullptr;
  region.begin = strtoull(line, &rest, 16);
  region.end = strtoull(rest + 1, &rest, 16);
  region.file = strchr(rest, '/') != nullptr;
  return holds(region, address) && rest[3] == 'x';
}

/// From /proc/self/maps, without an allocation: this runs in a signal handler.
bool find_mapping(uint64_t address, Region& region) {
  const int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  char buffer[8192];  // a line is at most a path and 73 characters
  size_t have = 0;
  bool found = false;
  for (ssize_t n; !found && (n = read(fd, buffer + have, sizeof buffer - 1 - have)) > 0;) {
    have += static_cast<size_t>(n);
    buffer[have] = 0;
    char* line = buffer;
    for (char* end; !found && (end = strchr(line, '\n')); line = end + 1) {
      *end = 0;
      found = parse_if_holds(line, address, region);
    }
    have = static_cast<size_t>(buffer + have - line);
    memmove(buffer, line, have);
  }
  close(fd);
  return found;
}

void forget_code() {
  core.flush_decoded();
  forget_translations();
}

void refresh(Region& region) {
  if (region.file) return;
  const uint64_t now = checksum(region);
  if (now == region.checksum) return;
  region.checksum = now;
  forget_code();
}

}  // namespace

bool is_emulated(uint64_t address) {
  for (int i = 0; i < count; ++i) {
    if (holds(regions[i], address)) return true;
  }
  return false;
}

bool emulate_mapping_of(uint64_t address) {
  if (stale.exchange(false)) {
    count = 0;
    forget_code();
  }
  for (int i = 0; i < count; ++i) {
    if (!holds(regions[i], address)) continue;
    refresh(regions[i]);
    return true;
  }
  Region region{};
  if (count == kMostRegions || !find_mapping(address, region)) return false;
  if (!region.file) region.checksum = checksum(region);
  regions[count++] = region;
  forget_code();
  return true;
}

int region_count() { return count; }

}  // namespace gatefold::emulation

/// A library that is unloaded may leave its addresses to another one.
GATEFOLD_EXPORT int dlclose(void* handle) {
  static const auto real = reinterpret_cast<int (*)(void*)>(dlsym(RTLD_NEXT, "dlclose"));
  gatefold::emulation::stale = true;
  return real(handle);
}
