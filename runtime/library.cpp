#include "runtime/library.h"

#include <dlfcn.h>

#include <cstring>
#include <memory>
#include <string>

#include "runtime/elf_file.h"
#include "runtime/status.h"
#include "runtime/table.h"

namespace gatefold {
namespace {

struct CloseHandle {
  void operator()(void* handle) const { dlclose(handle); }
};
using Handle = std::unique_ptr<void, CloseHandle>;
using TableFunction = const gf_kernel_table* (*)(void);

gf_status make_library(const gf_kernel_table* table, Handle handle, const char* source,
                       gf_library** out) {
  if (const gf_status status = check_table(table, source); status != GF_OK) return status;
  auto library = std::make_unique<gf_library>();
  library->table = table;
  library->handle = handle.release();
  *out = library.release();
  return GF_OK;
}

/// dlopen searches the system's folders for a name without a slash; a path is meant here.
std::string as_path(const char* so_path) {
  return std::strchr(so_path, '/') ? so_path : std::string("./") + so_path;
}

gf_status open_library(const char* so_path, gf_library** out) {
  const std::string path = as_path(so_path);
  if (const gf_status status = check_elf_file(path.c_str()); status != GF_OK) return status;
  Handle handle(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (!handle) return failed(GF_BAD_LIBRARY, "%s: %s", so_path, dlerror());
  const auto function = reinterpret_cast<TableFunction>(dlsym(handle.get(), "gatefold_kernels"));
  if (!function) {
    return failed(GF_BAD_LIBRARY,
                  "%s: does not export gatefold_kernels, so it is no gatefold library", so_path);
  }
  return make_library(function(), std::move(handle), so_path, out);
}

}  // namespace
}  // namespace gatefold

using gatefold::failed;

gf_status gf_library_open(const char* so_path, gf_library** out) {
  if (!so_path || !out) return failed(GF_INVALID_ARGUMENT, "gf_library_open: a null pointer");
  *out = nullptr;
  return gatefold::guarded([&] { return gatefold::open_library(so_path, out); });
}

gf_status gf_library_link(const gf_kernel_table* table, gf_library** out) {
  if (!table || !out) return failed(GF_INVALID_ARGUMENT, "gf_library_link: a null pointer");
  *out = nullptr;
  return gatefold::guarded(
      [&] { return gatefold::make_library(table, nullptr, "linked library", out); });
}

const gf_kernel_table* gf_library_table(const gf_library* library) {
  return library ? library->table : nullptr;
}

void gf_library_close(gf_library* library) {
  if (!library) return;
  if (library->handle) dlclose(library->handle);
  delete library;
}
