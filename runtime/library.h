#pragma once

#include "gatefold/gatefold.h"

struct gf_library {
  const gf_kernel_table* table = nullptr;
  void* handle = nullptr;           ///< of the system's loader; NULL: linked in
  void (*unload)(void*) = nullptr;  ///< takes the handle
};

namespace gatefold {

/// A library of a table that check_table accepts. `source` names it in messages.
gf_status make_library(const gf_kernel_table* table, const char* source, gf_library** out);

}  // namespace gatefold
