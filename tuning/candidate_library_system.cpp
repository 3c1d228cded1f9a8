#include "spec/error.h"
#include "tuning/candidate_library.h"

namespace gatefold {

CandidateLibrary::CandidateLibrary(const std::string& path) {
  gf_library* library = nullptr;
  if (gf_library_open(path.c_str(), &library) != GF_OK) fail(gf_last_error());
  library_.reset(library);
}

}  // namespace gatefold
