#include "tests/support/temporary_folder.h"

#include <stdlib.h>

#include "spec/error.h"

namespace gatefold::test {

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "gatefold_test.XXXXXX").string();
  if (!mkdtemp(pattern.data())) fail(pattern + ": cannot be created");
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace gatefold::test
