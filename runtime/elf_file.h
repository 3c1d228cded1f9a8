#pragma once

#include "gatefold/gatefold.h"

namespace gatefold {

/// Whether `path` is a shared library of this machine whose headers and segments lie inside the
/// file. dlopen maps what the headers say: of a truncated file it dies with SIGBUS.
gf_status check_elf_file(const char* path);

}  // namespace gatefold
