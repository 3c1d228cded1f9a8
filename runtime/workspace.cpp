#include "runtime/workspace.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <bit>

#include "runtime/pages.h"
#include "runtime/threads.h"

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
// What is always kept. Above it the pool keeps what the largest call needs, once per CPU that
// could run such a call and with room for other block sizes.
constexpr size_t kKeptAlways = size_t{32} << 20;
constexpr size_t kLargestRequest = size_t{1} << 46;

struct Workspace {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  Cached cached[kMaxCached];
  int count = 0;
  size_t bytes = 0;
  uint64_t releases = 0;
  std::atomic<size_t> largest_call{0};
  std::atomic<size_t> limit{kKeptAlways};
  std::atomic<uint64_t> system_allocations{0};
};

constinit Workspace g_workspace;

/// Rounded to a quarter of a power of two, so that calls of similar size share blocks.
size_t rounded(size_t bytes) {
  const size_t step = std::max<size_t>(4096, std::bit_floor(bytes) / 4);
  return (bytes + step - 1) / step * step;
}

Cached take_at(Workspace& w, int index) {
  const Cached found = w.cached[index];
  w.bytes -= found.total;
  w.cached[index] = w.cached[--w.count];
  return found;
}

/// The smallest kept block that holds `total` without wasting more than half of itself.
Header* take_fitting(size_t total) {
  Workspace& w = g_workspace;
  int best = -1;
  for (int i = 0; i < w.count; ++i) {
    const size_t size = w.cached[i].total;
    if (size < total || size > 2 * total) continue;
    if (best < 0 || size < w.cached[best].total) best = i;
  }
  return best < 0 ? nullptr : take_at(w, best).block;
}

/// The block that has lain longest, if the pool is too full to take `total` more.
Cached take_surplus(size_t total) {
  Workspace& w = g_workspace;
  const bool full = w.count == kMaxCached || w.bytes + total > w.limit.load();
  if (!full || w.count == 0) return {};
  const auto older = [](const Cached& a, const Cached& b) { return a.released < b.released; };
  return take_at(
      w, static_cast<int>(std::min_element(w.cached, w.cached + w.count, older) - w.cached));
}

}  // namespace

void* workspace_allocate(size_t bytes) {
  if (bytes > kLargestRequest) return nullptr;
  const size_t total = rounded(bytes + sizeof(Header));
  lock_workspace();
  Header* block = take_fitting(total);
  unlock_workspace();
  if (!block) {
    block = static_cast<Header*>(allocate_pages(total));
    if (!block) return nullptr;
    block->total = total;
    g_workspace.system_allocations.fetch_add(1, std::memory_order_relaxed);
  }
  return block + 1;
}

void workspace_release(void* memory) {
  if (!memory) return;
  Workspace& w = g_workspace;
  Header* block = static_cast<Header*>(memory) - 1;
  const size_t total = block->total;
  for (;;) {
    lock_workspace();
    const Cached surplus = take_surplus(total);
    const bool keep = !surplus.block && total <= w.limit.load() && w.count < kMaxCached;
    if (keep) {
      w.cached[w.count++] = {block, total, ++w.releases};
      w.bytes += total;
    }
    unlock_workspace();
    if (keep) return;
    if (!surplus.block) break;
    free_pages(surplus.block, surplus.total);
  }
  free_pages(block, total);
}

size_t workspace_size(const void* memory) {
  return memory ? (static_cast<const Header*>(memory) - 1)->total : 0;
}

void workspace_note_call(size_t bytes) {
  Workspace& w = g_workspace;
  size_t largest = w.largest_call.load(std::memory_order_relaxed);
  while (bytes > largest) {
    if (!w.largest_call.compare_exchange_weak(largest, bytes, std::memory_order_relaxed)) continue;
    const size_t callers = 2 * static_cast<size_t>(std::max(1, process_cpus().count()));
    w.limit.store(std::max(kKeptAlways, bytes * callers), std::memory_order_relaxed);
    return;
  }
}

WorkspaceStats workspace_stats() {
  lock_workspace();
  const size_t bytes = g_workspace.bytes;
  unlock_workspace();
  return {bytes, g_workspace.limit.load(),
          g_workspace.system_allocations.load(std::memory_order_relaxed)};
}

void lock_workspace() { pthread_mutex_lock(&g_workspace.mutex); }
void unlock_workspace() { pthread_mutex_unlock(&g_workspace.mutex); }

}  // namespace gatefold
