#include "spec/error.h"
#include "tuning/candidate_library.h"

namespace gatefold {

CandidateLibrary::CandidateLibrary(const std::string& path)
    : mapped_(std::make_unique<MappedLibrary>(path)) {
  using TableFunction = const gf_kernel_table* (*)();
  const auto table = reinterpret_cast<TableFunction>(mapped_->symbol("gatefold_kernels"));
  if (!table) fail(path + ": does not export gatefold_kernels, so it is no gatefold library");
  gf_library* library = nullptr;
  if (gf_library_link(table(), &library) != GF_OK) fail(path + ": " + gf_last_error());
  library_.reset(library);
}

}  // namespace gatefold
