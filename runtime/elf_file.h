#pragma once

#include "gatefold/gatefold.h"

namespace gatefold {

/// Whether `path` is a shared library of this machine which the system's loader can be given: its
/// headers, segments and sections lie inside the file and agree, and so do the tables of its
/// dynamic section and the places that are relocated. The loader believes all of these: of a
/// truncated file it dies with SIGBUS. What is in the code and in the data is not looked at.
gf_status check_elf_file(const char* path);

/// Whether `path` is a program for an architecture: "x86_64", "arm64", or nullptr for either; of
/// which nothing is missing.
gf_status check_elf_program(const char* path, const char* architecture);

}  // namespace gatefold
