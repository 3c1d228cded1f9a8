#pragma once

#include <string>

#include "tests/cuda_runtime/fake_state.h"

/// One of the driver's functions.
#define EXPORT extern "C" __attribute__((visibility("default")))

namespace gatefold::test {

inline FakeState& fake() { return FakeState::get(); }

/// A call that needs a context: the body gets it.
template <typename Body>
int in_context(const char* name, Body&& body, OnFailure on_failure = OnFailure::does_nothing) {
  return fake().call(
      name,
      [&] {
        const Handle context = fake().current();
        if (!context || fake().contexts.count(context) == 0)
          return fake().wrong(kInvalidContext, std::string(name) + ": no current context");
        return body(context);
      },
      on_failure);
}

/// A call that enqueues work on a stream.
template <typename Body>
int on_stream(const char* name, Handle stream, Body&& body) {
  return fake().call(name, [&]() -> int {
    if (!fake().stream_ok(name, stream)) return kInvalidHandle;
    return body(stream == 1 ? 0 : stream);
  });
}

template <typename Map>
int destroy(const char* name, Map& map, Handle handle) {
  return in_context(
      name,
      [&](Handle) -> int {
        if (map.erase(handle) == 1) return kOk;
        return fake().wrong(kInvalidHandle, std::string(name) + ": unknown handle");
      },
      OnFailure::is_done);
}

}  // namespace gatefold::test
