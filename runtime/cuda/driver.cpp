#include "runtime/cuda/driver.h"

#include <dlfcn.h>

#include <cstdio>

#include "runtime/status.h"

// A program that is linked statically has no loader: there these are null, and no driver.
#pragma weak dlopen
#pragma weak dlsym
#pragma weak dlerror

namespace gatefold::cuda {
namespace {

// Host code of CUDA kernels is for x86_64. Elsewhere nothing is looked for: arm64's static libc has
// a dlopen for its own use, which would come into the static worker and cannot work there.
#if defined(__x86_64__)
bool can_load() { return dlopen && dlsym && dlerror; }
void* open_library(const char* name) { return dlopen(name, RTLD_NOW | RTLD_LOCAL); }
void* find_symbol(void* library, const char* name) { return dlsym(library, name); }
const char* loader_error() { return dlerror(); }
constexpr const char* kCannotLoad = "this program is linked statically and cannot load one";
#else
bool can_load() { return false; }
void* open_library(const char*) { return nullptr; }
void* find_symbol(void*, const char*) { return nullptr; }
const char* loader_error() { return nullptr; }
constexpr const char* kCannotLoad = "kernels for CUDA are called from x86_64 only";
#endif

// r450 is the first driver that knows compute capability 8.0.
constexpr int kOldestVersion = 11000;

struct Loaded {
  Driver driver;
  bool usable = false;
  char failure[320] = "";
};

template <typename... Values>
void fail(Loaded& loaded, const char* format, Values... values) {
  std::snprintf(loaded.failure, sizeof loaded.failure, format, values...);
}

/// Machines with a driver have the first name, those with a toolkit's stub or a link of their own
/// the second.
void* open_driver(Loaded& loaded) {
  if (!can_load()) {
    fail(loaded, "no CUDA driver: %s", kCannotLoad);
    return nullptr;
  }
  if (void* handle = open_library("libcuda.so.1")) return handle;
  const char* error = loader_error();
  fail(loaded, "no CUDA driver: %s", error ? error : "libcuda.so.1 cannot be loaded");
  return open_library("libcuda.so");
}

template <typename... Parameters>
bool find(Loaded& loaded, void* handle, DriverCall<Parameters...>& call) {
  call.function = reinterpret_cast<Result (*)(Parameters...)>(find_symbol(handle, call.name));
  if (call.function) return true;
  fail(loaded, "the CUDA driver has no function %s", call.name);
  return false;
}

bool find_all(Loaded& loaded, void* handle) {
#define GATEFOLD_CUDA_FIND(member, symbol, ...) \
  if (!find(loaded, handle, loaded.driver.member)) return false;
  GATEFOLD_CUDA_CALLS(GATEFOLD_CUDA_FIND)
#undef GATEFOLD_CUDA_FIND
  return true;
}

/// Before the functions are looked for: what an old driver lacks is explained by its age.
bool check_version(Loaded& loaded, void* handle) {
  Driver& driver = loaded.driver;
  if (!find(loaded, handle, driver.get_version)) return false;
  if (driver.get_version(&driver.version) != kSuccess || driver.version <= 0) {
    fail(loaded, "the CUDA driver does not tell its version");
    return false;
  }
  if (driver.version >= kOldestVersion) return true;
  fail(loaded, "the CUDA driver is of CUDA %d.%d, wanted %d.%d or newer", driver.version / 1000,
       driver.version % 1000 / 10, kOldestVersion / 1000, kOldestVersion % 1000 / 10);
  return false;
}

/// The library stays loaded whatever happens: a driver that was unloaded cannot be trusted again.
Loaded load() {
  Loaded loaded;
  void* handle = open_driver(loaded);
  if (!handle || !check_version(loaded, handle) || !find_all(loaded, handle)) return loaded;
  if (const Result result = loaded.driver.init(0); result != kSuccess) {
    fail(loaded, "cuInit: %s", ErrorText(loaded.driver, result).text);
    return loaded;
  }
  loaded.usable = true;
  loaded.failure[0] = '\0';
  return loaded;
}

const Loaded& loaded() {
  static const Loaded kept = load();
  return kept;
}

}  // namespace

const Driver* driver() { return loaded().usable ? &loaded().driver : nullptr; }
const char* driver_failure() { return loaded().failure; }

ErrorText::ErrorText(const Driver& driver, Result result) {
  const char *name = nullptr, *description = nullptr;
  driver.get_error_name(result, &name);
  driver.get_error_string(result, &description);
  if (name) {
    std::snprintf(text, sizeof text, "%s (%s)", name, description ? description : "no description");
  } else {
    std::snprintf(text, sizeof text, "error %d", result);
  }
}

gf_status call_failed(const char* call, Result result) {
  return failed(result == kErrorOutOfMemory ? GF_OUT_OF_MEMORY : GF_DEVICE_FAILED, "%s: %s", call,
                ErrorText(loaded().driver, result).text);
}

}  // namespace gatefold::cuda
