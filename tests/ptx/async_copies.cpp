#include "tests/ptx/async_copies.h"

#include <algorithm>

#include "tests/ptx/trouble.h"

namespace gatefold::ptx {

void AsyncCopies::issue(const Party& who, AsyncCopy copy) {
  if (copy.bytes != 4 && copy.bytes != 8 && copy.bytes != 16) {
    trouble("cp.async of {} bytes, wanted 4, 8 or 16", copy.bytes);
  }
  if (copy.given > copy.bytes) {
    trouble("cp.async of {} bytes has {} of the source, wanted no more", copy.bytes, copy.given);
  }
  shared_.begin_copy(who, copy.to, copy.bytes);
  if (copy.given > 0) memory_.load(copy.from, copy.given, copy.bytes, false, copy.data.data());
  Queue& queue = threads_[who.name];
  queue.copies.push_back(copy);
  ++queue.open;
}

void AsyncCopies::commit(const Party& who) {
  Queue& queue = threads_[who.name];
  queue.groups.push_back(queue.open);
  queue.open = 0;
}

void AsyncCopies::wait_for_groups(const Party& who, uint64_t groups) {
  Queue& queue = threads_[who.name];
  while (queue.groups.size() > groups) {
    for (uint32_t i = 0; i < queue.groups.front(); ++i) {
      land(who, queue.copies.front());
      queue.copies.pop_front();
    }
    queue.groups.pop_front();
  }
}

void AsyncCopies::wait_for_all(const Party& who) {
  commit(who);
  wait_for_groups(who, 0);
}

void AsyncCopies::land(const Party& who, const AsyncCopy& copy) {
  std::array<std::byte, 16> now{};
  if (copy.given > 0) memory_.load(copy.from, copy.given, copy.bytes, false, now.data());
  if (now != copy.data) {
    trouble("the source of cp.async, global {:#x}, was written before the copy was waited for",
            copy.from);
  }
  shared_.land_copy(who, copy.to, copy.bytes, copy.data.data());
}

uint64_t AsyncCopies::end_block() {
  uint64_t left = 0;
  for (Queue& queue : threads_) {
    left += queue.copies.size();
    queue = Queue{};
  }
  return left;
}

}  // namespace gatefold::ptx
