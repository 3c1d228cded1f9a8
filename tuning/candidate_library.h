#pragma once

#include <memory>
#include <string>

#include "gatefold/gatefold.h"
#include "tuning/mapped_library.h"

namespace gatefold {

/// A candidate's library in this process.
class CandidateLibrary {
 public:
  CandidateLibrary() = default;

  /// Throws gatefold::Error if the file is no library that can be loaded. By the system's loader,
  /// or, in a program that is linked statically, as MappedLibrary does.
  explicit CandidateLibrary(const std::string& path);

  const gf_kernel_table& table() const { return *gf_library_table(library_.get()); }

 private:
  struct Close {
    void operator()(gf_library* library) const { gf_library_close(library); }
  };

  std::unique_ptr<MappedLibrary> mapped_;  ///< before the library, which points into it
  std::unique_ptr<gf_library, Close> library_;
};

}  // namespace gatefold
