#pragma once

#include <span>
#include <string_view>

namespace gatefold {

/// One file of schedules/tuned/, as it was when this program was built.
struct ShippedFile {
  const char* name;
  std::string_view text;
};

std::span<const ShippedFile> shipped_files();  ///< generated, see CMakeLists.txt

}  // namespace gatefold
