#include "generator/text_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include "spec/error.h"

namespace gatefold {

void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) fail(path.string() + ": cannot be written: " + strerror(errno));
}

}  // namespace gatefold
