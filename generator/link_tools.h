#pragma once

#include <string>

#include "spec/target.h"

namespace gatefold {

/// The programs that make kernels of one architecture into a library.
struct LinkTools {
  std::string compiler, ld, objcopy, ar;
  /// Debian's packages that have them.
  std::string compiler_package, binutils_package;
};

/// Their names: for this program's own architecture those of the machine, with $CC as the compiler
/// where that is set; for another one the cross tools of its triplet.
LinkTools link_tools(Arch arch);

/// The same as paths; throws gatefold::Error, which names the tool and its package, if one is
/// missing.
LinkTools find_link_tools(Arch arch);

}  // namespace gatefold
