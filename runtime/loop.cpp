#include "runtime/loop.h"

#include <algorithm>
#include <utility>

namespace gatefold {
namespace {

thread_local bool t_inside = false;

}  // namespace

Loop::Loop(Task task, void* context, int min, int count, uint8_t* closure, int members)
    : task_(task),
      context_(context),
      closure_(closure),
      shares_(std::clamp(std::min(members, count), 1, kMaxShares)) {
  const auto begin_of = [&](int share) { return min + int64_t{count} * share / shares_; };
  for (int s = 0; s < shares_; ++s) share_[s] = {begin_of(s), begin_of(s + 1)};
}

/// Until the share is empty or a task fails.
void Loop::run_share(Share& share) {
  const std::atomic_ref next(share.next);
  while (next.load(std::memory_order_relaxed) < share.end && result() == 0) {
    const int64_t index = next.fetch_add(1, std::memory_order_relaxed);
    if (index >= share.end) break;
    const int result = task_(context_, static_cast<int>(index), closure_);
    int none = 0;
    if (result != 0) result_.compare_exchange_strong(none, result, std::memory_order_relaxed);
  }
}

void Loop::take_part(int member) {
  const bool before = std::exchange(t_inside, true);
  for (int s = 0; s < shares_; ++s)
    run_share(share_[static_cast<unsigned>(member + s) % static_cast<unsigned>(shares_)]);
  t_inside = before;
}

bool Loop::inside() { return t_inside; }

int run_inline(Loop::Task task, void* context, int min, int count, uint8_t* closure) {
  for (int i = 0; i < count; ++i) {
    if (const int result = task(context, min + i, closure)) return result;
  }
  return 0;
}

}  // namespace gatefold
