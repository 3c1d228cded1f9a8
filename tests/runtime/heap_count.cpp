#include "tests/runtime/heap_count.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<int64_t> g_count{0};

}  // namespace

void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  ++g_count;
  return std::malloc(bytes ? bytes : 1);
}
void* operator new(size_t bytes) {
  if (void* memory = operator new(bytes, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace gatefold::test {

int64_t heap_count() { return g_count; }

}  // namespace gatefold::test
