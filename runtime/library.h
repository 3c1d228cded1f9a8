#pragma once

#include "gatefold/gatefold.h"

struct gf_library {
  const gf_kernel_table* table = nullptr;
  void* handle = nullptr;  ///< of dlopen; NULL: linked in
};
