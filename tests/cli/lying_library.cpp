#include "tests/cli/lying_library.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cli/block_files.h"

namespace gatefold::test {

std::string as_silu(std::string manifest) {
  const std::string told = "\"variant\": \"relu\"", wanted = "\"variant\": \"silu\"";
  const size_t place = manifest.find(told);
  EXPECT_NE(place, std::string::npos);
  return manifest.replace(place, told.size(), wanted);
}

std::string without_hash(std::string manifest) {
  const std::string field = "\"so_hash\"";
  const size_t place = manifest.find(field);
  EXPECT_NE(place, std::string::npos);
  return manifest.replace(place, field.size(), "\"no_hash\"");
}

std::string lying_library(const TempFolder& folder) {
  const std::string manifest = library_manifest("cli_relu_any");
  std::string library =
      content(std::filesystem::path(manifest).parent_path() / "libcli_relu_any.so");
  const std::string told("\0relu\0", 6), wanted("\0silu\0", 6);
  const size_t place = library.find(told);
  EXPECT_NE(place, std::string::npos);
  library.replace(place, told.size(), wanted);
  folder.file("libcli_relu_any.so", library);
  return folder.file("cli_relu_any.json", without_hash(as_silu(content(manifest))));
}

}  // namespace gatefold::test
