// A libcuda without a device: the part of the driver API that the runtime uses. Here the driver,
// its devices and its contexts.
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "tests/cuda_runtime/fake_calls.h"

using namespace gatefold::test;

namespace {

/// For programs that no test speaks to: FAKE_CUDA_VERSION=10020 and the like.
void read_environment() {
  FakeSettings& s = fake().settings_;
  const auto read = [](const char* name, int& value) {
    if (const char* text = std::getenv(name)) value = std::atoi(text);
  };
  read("FAKE_CUDA_VERSION", s.driver_version);
  read("FAKE_CUDA_INIT", s.init_result);
  read("FAKE_CUDA_DEVICES", s.devices);
  read("FAKE_CUDA_CAPABILITY", s.capability);
}

}  // namespace

EXPORT FakeCuda* gatefold_fake_cuda() { return &fake(); }

EXPORT int cuDriverGetVersion(int* version) {
  return fake().call("cuDriverGetVersion", [&] {
    read_environment();
    *version = fake().settings_.driver_version;
    return int{kOk};
  });
}

EXPORT int cuInit(unsigned) {
  return fake().call("cuInit", [&] {
    fake().initialised = fake().settings_.init_result == kOk;
    return fake().settings_.init_result;
  });
}

EXPORT int cuGetErrorName(int result, const char** name) {
  *name = result == 2     ? "CUDA_ERROR_OUT_OF_MEMORY"
          : result == 100 ? "CUDA_ERROR_NO_DEVICE"
          : result == 222 ? "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"
          : result == 500 ? "CUDA_ERROR_NOT_FOUND"
          : result == 999 ? "CUDA_ERROR_UNKNOWN"
                          : nullptr;
  return *name ? kOk : kInvalidValue;
}
EXPORT int cuGetErrorString(int result, const char** text) {
  *text = result == 2     ? "out of memory"
          : result == 100 ? "no CUDA-capable device is detected"
          : result == 222 ? "the provided PTX was compiled with an unsupported toolchain."
          : result == 500 ? "named symbol not found"
          : result == 999 ? "unknown error"
                          : nullptr;
  return *text ? kOk : kInvalidValue;
}

EXPORT int cuDeviceGetCount(int* count) {
  return fake().call("cuDeviceGetCount", [&]() -> int {
    if (!fake().initialised) return fake().wrong(kNotInitialized, "cuDeviceGetCount: no cuInit");
    *count = fake().settings_.devices;
    return kOk;
  });
}
EXPORT int cuDeviceGet(int* device, int ordinal) {
  return fake().call("cuDeviceGet", [&]() -> int {
    if (ordinal < 0 || ordinal >= fake().settings_.devices) return kInvalidDevice;
    *device = ordinal;
    return kOk;
  });
}
EXPORT int cuDeviceGetName(char* name, int length, int) {
  return fake().call("cuDeviceGetName", [&] {
    std::snprintf(name, static_cast<size_t>(length), "Fake GPU");
    return int{kOk};
  });
}
EXPORT int cuDeviceGetAttribute(int* value, int attribute, int) {
  return fake().call("cuDeviceGetAttribute", [&]() -> int {
    const std::map<int, int> values = {{1, 1024},
                                       {5, 2147483647},
                                       {6, 65535},
                                       {7, 65535},
                                       {8, 49152},
                                       {75, fake().settings_.capability / 10},
                                       {76, fake().settings_.capability % 10},
                                       {97, 166912}};
    const auto found = values.find(attribute);
    if (found == values.end()) return fake().wrong(kInvalidValue, "an attribute nobody knows");
    *value = found->second;
    return kOk;
  });
}
EXPORT int cuDeviceTotalMem_v2(size_t* bytes, int) {
  return fake().call("cuDeviceTotalMem_v2", [&] {
    *bytes = size_t{80} << 30;
    return int{kOk};
  });
}

EXPORT int cuDevicePrimaryCtxRetain(Handle* context, int) {
  return fake().call("cuDevicePrimaryCtxRetain", [&] {
    if (fake().retained++ == 0) fake().contexts.insert(fake().primary = fake().new_handle());
    *context = fake().primary;
    return int{kOk};
  });
}
EXPORT int cuDevicePrimaryCtxRelease_v2(int) {
  return fake().call(
      "cuDevicePrimaryCtxRelease_v2",
      [&]() -> int {
        if (fake().retained == 0)
          return fake().wrong(kInvalidContext, "a primary context is released once too often");
        if (--fake().retained == 0) fake().contexts.erase(std::exchange(fake().primary, 0));
        return kOk;
      },
      OnFailure::is_done);
}

EXPORT int cuCtxGetCurrent(Handle* context) {
  return fake().call("cuCtxGetCurrent", [&] {
    *context = fake().current();
    return int{kOk};
  });
}
EXPORT int cuCtxPushCurrent_v2(Handle context) {
  return fake().call(
      "cuCtxPushCurrent_v2",
      [&]() -> int {
        if (fake().contexts.count(context) == 0)
          return fake().wrong(kInvalidContext, "an unknown context is pushed");
        fake_context_stack().push_back(context);
        return kOk;
      },
      OnFailure::as_told);
}
EXPORT int cuCtxPopCurrent_v2(Handle* context) {
  return fake().call(
      "cuCtxPopCurrent_v2",
      [&]() -> int {
        if (fake_context_stack().empty())
          return fake().wrong(kInvalidContext, "a context is popped that was never pushed");
        *context = fake_context_stack().back();
        fake_context_stack().pop_back();
        return kOk;
      },
      OnFailure::as_told);
}
EXPORT int cuCtxSynchronize() {
  return in_context("cuCtxSynchronize", [&](Handle) -> int {
    for (auto& entry : fake().streams) fake().do_work(entry.first);
    return kOk;
  });
}
