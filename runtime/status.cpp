#include "runtime/status.h"

#include <cstdarg>
#include <cstdio>

namespace gatefold {
namespace {

thread_local char g_message[1536];

}  // namespace

gf_status failed(gf_status status, const char* format, ...) noexcept {
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(g_message, sizeof g_message, format, arguments);
  va_end(arguments);
  return status;
}

}  // namespace gatefold

const char* gf_last_error(void) { return gatefold::g_message; }

const char* gf_status_name(gf_status status) {
  switch (status) {
    case GF_OK:
      return "GF_OK";
    case GF_INVALID_ARGUMENT:
      return "GF_INVALID_ARGUMENT";
    case GF_SHAPE_MISMATCH:
      return "GF_SHAPE_MISMATCH";
    case GF_DTYPE_MISMATCH:
      return "GF_DTYPE_MISMATCH";
    case GF_OVERLAP:
      return "GF_OVERLAP";
    case GF_UNAVAILABLE:
      return "GF_UNAVAILABLE";
    case GF_BAD_LIBRARY:
      return "GF_BAD_LIBRARY";
    case GF_OUT_OF_MEMORY:
      return "GF_OUT_OF_MEMORY";
    case GF_KERNEL_FAILED:
      return "GF_KERNEL_FAILED";
    case GF_PARALLEL_FOR_FAILED:
      return "GF_PARALLEL_FOR_FAILED";
    case GF_BAD_PACKED_WEIGHTS:
      return "GF_BAD_PACKED_WEIGHTS";
    case GF_DEVICE_FAILED:
      return "GF_DEVICE_FAILED";
  }
  return "unknown status";
}

#define GF_TEXT2(x) #x
#define GF_TEXT(x) GF_TEXT2(x)

const char* gf_version(void) {
  return GF_TEXT(GF_VERSION_MAJOR) "." GF_TEXT(GF_VERSION_MINOR) "." GF_TEXT(GF_VERSION_PATCH);
}
