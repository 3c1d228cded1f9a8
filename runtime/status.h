#pragma once

#include <new>

#include "gatefold/gatefold.h"

namespace gatefold {

/// Keeps the message for gf_last_error() of this thread; returns `status`.
[[gnu::format(printf, 2, 3)]] gf_status failed(gf_status status, const char* format, ...) noexcept;

/// Runs the body of a C function: no exception crosses the ABI.
template <typename Body>
gf_status guarded(Body&& body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return failed(GF_OUT_OF_MEMORY, "out of memory");
  } catch (...) {
    return failed(GF_INVALID_ARGUMENT, "a size is beyond what this process can hold");
  }
}

}  // namespace gatefold
