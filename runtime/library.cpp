// Libraries that are linked in, and what all libraries share. Nothing here needs the system's
// loader: a program that is linked statically has none.
#include "runtime/library.h"

#include <memory>

#include "runtime/status.h"
#include "runtime/table.h"

namespace gatefold {

gf_status make_library(const gf_kernel_table* table, const char* source, gf_library** out) {
  if (const gf_status status = check_table(table, source); status != GF_OK) return status;
  auto library = std::make_unique<gf_library>();
  library->table = table;
  *out = library.release();
  return GF_OK;
}

}  // namespace gatefold

using gatefold::failed;

gf_status gf_library_link(const gf_kernel_table* table, gf_library** out) {
  if (!table || !out) return failed(GF_INVALID_ARGUMENT, "gf_library_link: a null pointer");
  *out = nullptr;
  return gatefold::guarded([&] { return gatefold::make_library(table, "linked library", out); });
}

const gf_kernel_table* gf_library_table(const gf_library* library) {
  return library ? library->table : nullptr;
}

void gf_library_close(gf_library* library) {
  if (!library) return;
  if (library->unload) library->unload(library->handle);
  delete library;
}
