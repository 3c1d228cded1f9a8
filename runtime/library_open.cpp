#include <dlfcn.h>

#include <cstring>
#include <memory>
#include <string>

#include "runtime/elf_file.h"
#include "runtime/library.h"
#include "runtime/status.h"

namespace gatefold {
namespace {

void unload(void* handle) { dlclose(handle); }

struct CloseHandle {
  void operator()(void* handle) const { unload(handle); }
};
using Handle = std::unique_ptr<void, CloseHandle>;
using TableFunction = const gf_kernel_table* (*)(void);

/// dlopen searches the system's folders for a name without a slash; a path is meant here.
std::string as_path(const char* so_path) {
  return std::strchr(so_path, '/') ? so_path : std::string("./") + so_path;
}

/// The loader's message, which mostly begins with the path.
gf_status not_loaded(const std::string& path) {
  const char* const why = dlerror();
  const bool named = std::strncmp(why, path.c_str(), path.size()) == 0;
  return failed(GF_BAD_LIBRARY, "%s%s%s", named ? "" : path.c_str(), named ? "" : ": ", why);
}

gf_status open_library(const char* so_path, gf_library** out) {
  const std::string path = as_path(so_path);
  if (const gf_status status = check_elf_file(path.c_str()); status != GF_OK) return status;
  Handle handle(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (!handle) return not_loaded(path);
  const auto function = reinterpret_cast<TableFunction>(dlsym(handle.get(), "gatefold_kernels"));
  if (!function) {
    return failed(GF_BAD_LIBRARY,
                  "%s: does not export gatefold_kernels, so it is no gatefold library", so_path);
  }
  const gf_status status = make_library(function(), so_path, out);
  if (status != GF_OK) return status;
  (*out)->handle = handle.release();
  (*out)->unload = unload;
  return GF_OK;
}

}  // namespace
}  // namespace gatefold

gf_status gf_library_open(const char* so_path, gf_library** out) {
  if (!so_path || !out) {
    return gatefold::failed(GF_INVALID_ARGUMENT, "gf_library_open: a null pointer");
  }
  *out = nullptr;
  return gatefold::guarded([&] { return gatefold::open_library(so_path, out); });
}
