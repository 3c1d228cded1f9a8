#include "runtime/pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace gatefold {
namespace {

constexpr size_t kAlignment = 128;

/// 4 KiB on x86; kernels for arm64 have 4, 16 or 64.
size_t small_page() {
  static const auto bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

size_t round_up(size_t value, size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

/// How much of a piece is offered as huge pages: the last one is worth having where what it wastes
/// is less than a hundredth of the piece. Small pages follow.
size_t huge_bytes(size_t bytes) {
  const size_t whole = bytes / kHugePage * kHugePage, rounded = round_up(bytes, kHugePage);
  return rounded - bytes <= bytes / 100 ? rounded : whole;
}

bool mapped_apart(size_t bytes) { return bytes >= kHugePage; }

/// Maps one huge page more than wanted and gives back what lies outside the aligned part.
void* map_aligned(size_t bytes, size_t huge) {
  const size_t wanted = bytes + kHugePage;
  void* mapped = mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  char* begin = static_cast<char*>(mapped);
  char* aligned = reinterpret_cast<char*>(round_up(reinterpret_cast<uintptr_t>(begin), kHugePage));
  const auto before = static_cast<size_t>(aligned - begin);
  if (before > 0) munmap(begin, before);
  if (wanted - before > bytes) munmap(aligned + bytes, wanted - before - bytes);
  madvise(aligned, huge, MADV_HUGEPAGE);  // only advice: small pages work too
  return aligned;
}

}  // namespace

size_t reserved_bytes(size_t bytes) {
  if (!mapped_apart(bytes)) return bytes;
  return std::max(huge_bytes(bytes), round_up(bytes, small_page()));
}

void* allocate_pages(size_t bytes) {
  if (bytes > PTRDIFF_MAX - 2 * kHugePage) return nullptr;
  if (mapped_apart(bytes)) return map_aligned(reserved_bytes(bytes), huge_bytes(bytes));
  void* memory = nullptr;
  return posix_memalign(&memory, kAlignment, bytes > 0 ? bytes : 1) == 0 ? memory : nullptr;
}

void free_pages(void* memory, size_t bytes) {
  if (!memory) return;
  if (mapped_apart(bytes)) {
    munmap(memory, reserved_bytes(bytes));
  } else {
    std::free(memory);
  }
}

Pages::Pages(size_t bytes) : data_(allocate_pages(bytes)), bytes_(bytes) {
  if (!data_) throw std::bad_alloc();
}

}  // namespace gatefold
