#pragma once

#include <string>
#include <string_view>

#include "generator/library.h"

namespace gatefold {

/// The C source of a library's kernel table: descriptions, weight streams, and the few halide_*
/// functions that the kernels call, which pass everything on to the hooks of the call.
std::string table_source(const LibraryPlan& plan);

/// NAME.h: declares NAME_kernels().
std::string library_header(const LibraryPlan& plan);

/// NAMEConfig.cmake: defines gatefold::NAME and gatefold::NAME_shared.
std::string library_cmake_config(const LibraryPlan& plan);

/// NAME.json. `shared_object`: the bytes of libNAME.so.
std::string library_manifest(const LibraryPlan& plan, std::string_view shared_object);

/// Symbol of the i-th kernel inside the library.
std::string kernel_symbol(const LibraryPlan& plan, size_t i);

}  // namespace gatefold
