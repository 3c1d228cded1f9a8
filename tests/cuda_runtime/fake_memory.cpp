// Memory, streams and events of the fake libcuda.
#include <cstring>

#include "runtime/cuda/driver.h"
#include "tests/cuda_runtime/fake_calls.h"

using gatefold::cuda::Copy2D;
using namespace gatefold::test;

EXPORT int cuMemAlloc_v2(uint64_t* address, size_t bytes) {
  return in_context("cuMemAlloc_v2", [&](Handle context) -> int {
    if (bytes == 0) return fake().wrong(kInvalidValue, "no bytes are allocated");
    if (bytes > size_t{1} << 36) return kOutOfMemory;
    *address = fake().allocate_in(context, bytes);
    return kOk;
  });
}
EXPORT int cuMemFree_v2(uint64_t address) {
  return in_context(
      "cuMemFree_v2",
      [&](Handle context) -> int {
        const auto found = fake().memory.find(address);
        if (found == fake().memory.end() || found->second.context != context)
          return fake().wrong(kInvalidValue, "memory is freed that is not the context's");
        if (fake().any_work()) fake().complain("memory is freed while work is waiting");
        fake().memory.erase(found);
        return kOk;
      },
      OnFailure::is_done);
}

EXPORT int cuMemcpyHtoDAsync_v2(uint64_t to, const void* from, size_t bytes, Handle stream) {
  return on_stream("cuMemcpyHtoDAsync_v2", stream, [&](Handle queue) -> int {
    fake().put_work(queue, [=] {
      if (void* target = fake().at(to, bytes)) std::memcpy(target, from, bytes);
    });
    return kOk;
  });
}
EXPORT int cuMemcpy2DAsync_v2(const Copy2D* given, Handle stream) {
  return on_stream("cuMemcpy2DAsync_v2", stream, [&](Handle queue) -> int {
    const Copy2D c = *given;
    if (c.width > c.source_pitch || c.width > c.target_pitch || c.height == 0)
      return fake().wrong(kInvalidValue, "a copy of rows that are longer than their pitch");
    fake().put_work(queue, [c] {
      for (size_t row = 0; row < c.height; ++row) {
        const void* from = c.source_type == 1
                               ? static_cast<const char*>(c.source_host) + row * c.source_pitch
                               : fake().at(c.source_device + row * c.source_pitch, c.width);
        void* to = c.target_type == 1 ? static_cast<char*>(c.target_host) + row * c.target_pitch
                                      : fake().at(c.target_device + row * c.target_pitch, c.width);
        if (from && to) std::memcpy(to, from, c.width);
      }
    });
    return kOk;
  });
}
EXPORT int cuMemsetD8Async(uint64_t address, unsigned char value, size_t bytes, Handle stream) {
  return on_stream("cuMemsetD8Async", stream, [&](Handle queue) -> int {
    fake().put_work(queue, [=] {
      if (void* to = fake().at(address, bytes)) std::memset(to, value, bytes);
    });
    return kOk;
  });
}
EXPORT int cuMemsetD2D8Async(uint64_t address, size_t pitch, unsigned char value, size_t width,
                             size_t height, Handle stream) {
  return on_stream("cuMemsetD2D8Async", stream, [&](Handle queue) -> int {
    fake().put_work(queue, [=] {
      for (size_t row = 0; row < height; ++row)
        if (void* to = fake().at(address + row * pitch, width)) std::memset(to, value, width);
    });
    return kOk;
  });
}

EXPORT int cuStreamCreate(Handle* stream, unsigned flags) {
  return in_context("cuStreamCreate", [&](Handle context) -> int {
    if (flags != 1) fake().complain("a stream is made that waits for the default one");
    *stream = fake().new_handle();
    fake().streams[*stream] = {context, false, {}};
    return kOk;
  });
}
EXPORT int cuStreamDestroy_v2(Handle stream) {
  const std::lock_guard lock(fake().mutex_);
  const auto found = fake().streams.find(stream);
  if (found != fake().streams.end() && !found->second.work.empty())
    fake().complain("a stream is destroyed with its work");
  return destroy("cuStreamDestroy_v2", fake().streams, stream);
}
EXPORT int cuStreamSynchronize(Handle stream) {
  return on_stream("cuStreamSynchronize", stream, [&](Handle queue) -> int {
    fake().do_work(queue);
    return kOk;
  });
}

EXPORT int cuEventCreate(Handle* event, unsigned) {
  return in_context("cuEventCreate", [&](Handle context) -> int {
    *event = fake().new_handle();
    fake().events[*event] = context;
    return kOk;
  });
}
EXPORT int cuEventRecord(Handle event, Handle stream) {
  return on_stream("cuEventRecord", stream, [&](Handle) -> int {
    const auto found = fake().events.find(event);
    if (found == fake().events.end() || found->second != fake().current())
      return fake().wrong(kInvalidHandle, "an unknown event is recorded");
    return kOk;
  });
}
EXPORT int cuEventElapsedTime(float* ms, Handle first, Handle second) {
  return in_context("cuEventElapsedTime", [&](Handle) -> int {
    if (fake().events.count(first) == 0 || fake().events.count(second) == 0)
      return fake().wrong(kInvalidHandle, "the time between unknown events");
    *ms = 0.25f;
    return kOk;
  });
}
EXPORT int cuEventDestroy_v2(Handle event) {
  return destroy("cuEventDestroy_v2", fake().events, event);
}
