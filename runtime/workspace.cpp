#include "runtime/workspace.h"

#include <pthread.h>

#include <algorithm>
#include <bit>

#include "runtime/pages.h"

namespace gatefold {
namespace {

struct alignas(128) Header {
  size_t total;  ///< bytes of the block with this header
};

struct Cached {
  Header* block = nullptr;
  size_t total = 0;
  uint64_t released = 0;  ///< when, counted in releases
};

constexpr int kMaxCached = 512;
constexpr size_t kKeptAlways = size_t{32} << 20;
constexpr size_t kLargestRequest = size_t{1} << 46;

struct Workspace {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  Cached cached[kMaxCached];
  int count = 0;
  size_t bytes = 0;   ///< cached
  size_t in_use = 0;  ///< given out
  size_t limit = kKeptAlways;
  uint64_t releases = 0;
  uint64_t system_allocations = 0;
};

constinit Workspace g_workspace;

Cached take_at(Workspace& w, int index) {
  const Cached found = w.cached[index];
  w.bytes -= found.total;
  w.cached[index] = w.cached[--w.count];
  return found;
}

/// The smallest kept block that holds `total` without wasting more than half of itself.
Header* take_fitting(Workspace& w, size_t total) {
  int best = -1;
  for (int i = 0; i < w.count; ++i) {
    const size_t size = w.cached[i].total;
    if (size < total || size > 2 * total) continue;
    if (best < 0 || size < w.cached[best].total) best = i;
  }
  return best < 0 ? nullptr : take_at(w, best).block;
}

/// What was once in use at once will be again. A block serves sizes down to half its own, so kept
/// sizes of which none can stand in for another add up to less than twice the largest: with that
/// much room calls that alternate allocate nothing either.
void note_in_use(Workspace& w, size_t more) {
  w.in_use += more;
  w.limit = std::max(w.limit, 2 * w.in_use);
}

/// The block that has lain longest, if the pool is too full to take `total` more.
Cached take_surplus(Workspace& w, size_t total) {
  const bool full = w.count == kMaxCached || w.bytes + total > w.limit;
  if (!full || w.count == 0) return {};
  const auto older = [](const Cached& a, const Cached& b) { return a.released < b.released; };
  return take_at(
      w, static_cast<int>(std::min_element(w.cached, w.cached + w.count, older) - w.cached));
}

}  // namespace

size_t workspace_block(size_t bytes) {
  const size_t step = std::max<size_t>(4096, std::bit_floor(bytes) / 4);
  return (std::max<size_t>(bytes, 1) + step - 1) / step * step;
}

void* workspace_allocate(size_t bytes) {
  if (bytes > kLargestRequest) return nullptr;
  Workspace& w = g_workspace;
  const size_t total = workspace_block(bytes + sizeof(Header));
  lock_workspace();
  Header* block = take_fitting(w, total);
  if (block) note_in_use(w, block->total);
  unlock_workspace();
  if (block) return block + 1;
  block = static_cast<Header*>(allocate_pages(total));
  if (!block) return nullptr;
  block->total = total;
  lock_workspace();
  ++w.system_allocations;
  note_in_use(w, total);
  unlock_workspace();
  return block + 1;
}

void workspace_release(void* memory) {
  if (!memory) return;
  Workspace& w = g_workspace;
  Header* block = static_cast<Header*>(memory) - 1;
  const size_t total = block->total;
  lock_workspace();
  w.in_use -= total;
  for (Cached surplus = take_surplus(w, total); surplus.block; surplus = take_surplus(w, total)) {
    unlock_workspace();  // giving memory back takes long
    free_pages(surplus.block, surplus.total);
    lock_workspace();
  }
  w.cached[w.count++] = {block, total, ++w.releases};  // the limit holds any block that was in use
  w.bytes += total;
  unlock_workspace();
}

size_t workspace_size(const void* memory) {
  return memory ? (static_cast<const Header*>(memory) - 1)->total : 0;
}

WorkspaceStats workspace_stats() {
  lock_workspace();
  const WorkspaceStats stats = {g_workspace.bytes, g_workspace.limit,
                                g_workspace.system_allocations};
  unlock_workspace();
  return stats;
}

void lock_workspace() { pthread_mutex_lock(&g_workspace.mutex); }
void unlock_workspace() { pthread_mutex_unlock(&g_workspace.mutex); }

}  // namespace gatefold
