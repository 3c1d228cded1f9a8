// `check` on generated libraries.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "gatefold/gatefold.h"
#include "tests/cli/block_files.h"
#include "tests/cli/gatefold_process.h"
#include "tests/formats/files.h"

namespace gatefold::test {
namespace {

using ::testing::HasSubstr;

TEST(Check, AcceptsAGeneratedLibrary) {
  if (!gf_isa_usable("x86-avx2")) GTEST_SKIP() << "this CPU does not run x86-avx2";
  const Outcome outcome = gatefold({"check", "--library", library_manifest("cli_relu_any"),
                                    "--shapes", "1x37,37x1,64x96", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out.substr(0, 2000) << outcome.err;
  const auto json = outcome.json();
  EXPECT_EQ(json["ok"], true);
  std::set<int> rows;
  for (const auto& cell : json["cells"]) {
    rows.insert(cell["rows"].get<int>());
    EXPECT_EQ(cell["ok"], true) << cell.dump();
    const bool relative = cell["d_model"] >= 32 && cell["d_ff"] >= 32;
    EXPECT_LE(cell[relative ? "rel_l2" : "scaled"], 2e-6) << cell.dump();
    EXPECT_LE(cell["tolerance"], 2e-6);
  }
  EXPECT_THAT(rows, testing::IsSupersetOf({0, 1, 2, 3, 5, 8, 17, 64}));
}

TEST(Check, TakesRowZeroAndTheTargetHost) {
  if (!gf_isa_usable("x86-avx2")) GTEST_SKIP() << "this CPU does not run x86-avx2";
  const Outcome outcome =
      gatefold({"check", "--library", library_manifest("cli_relu_any"), "--shapes", "37x1",
                "--rows", "0,3", "--target", "host", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = outcome.json();
  std::set<int> rows;
  for (const auto& cell : json["cells"]) {
    rows.insert(cell["rows"].get<int>());
    EXPECT_EQ(cell["target"], "x86-avx2");
  }
  EXPECT_THAT(rows, testing::IsSupersetOf({0, 3}));
}

TEST(Check, AddsResidualsOfItsOwn) {
  if (!gf_isa_usable("x86-avx2")) GTEST_SKIP() << "this CPU does not run x86-avx2";
  const Outcome outcome =
      gatefold({"check", "--library", library_manifest("cli_residual"), "--rows", "0,5", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out.substr(0, 2000) << outcome.err;
  const auto json = outcome.json();
  std::set<std::string> values;
  for (const auto& cell : json["cells"]) {
    values.insert(cell["values"].get<std::string>());
  }
  EXPECT_THAT(values, testing::ElementsAre("residual", "special", "unit", "wide"));
}

/// The text with its field "variant": "relu" changed to silu.
std::string as_silu(std::string manifest) {
  const std::string told = "\"variant\": \"relu\"", wanted = "\"variant\": \"silu\"";
  const size_t place = manifest.find(told);
  EXPECT_NE(place, std::string::npos);
  return manifest.replace(place, told.size(), wanted);
}

/// A library whose table and manifest claim another activation than its kernels have.
std::string lying_library(const TempFolder& folder) {
  const std::string manifest = library_manifest("cli_relu_any");
  std::string library =
      content(std::filesystem::path(manifest).parent_path() / "libcli_relu_any.so");
  const std::string told("\0relu\0", 6), wanted("\0silu\0", 6);
  const size_t place = library.find(told);
  EXPECT_NE(place, std::string::npos);
  library.replace(place, told.size(), wanted);
  folder.file("libcli_relu_any.so", library);
  return folder.file("cli_relu_any.json", as_silu(content(manifest)));
}

TEST(Check, RejectsKernelsThatComputeSomethingElse) {
  if (!gf_isa_usable("x86-avx2")) GTEST_SKIP() << "this CPU does not run x86-avx2";
  const TempFolder folder;
  const Outcome outcome =
      gatefold({"check", "--library", lying_library(folder), "--shapes", "64x96", "--json"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  const auto json = outcome.json();
  EXPECT_EQ(json["ok"], false);
  for (const auto& cell : json["cells"]) {
    if (cell["rows"] == 0 || cell["values"] != "unit") continue;
    EXPECT_EQ(cell["ok"], false) << cell.dump();
  }
}

TEST(Check, RefusesAManifestOfAnotherLibrary) {
  if (!gf_isa_usable("x86-avx2")) GTEST_SKIP() << "this CPU does not run x86-avx2";
  const std::filesystem::path manifest = library_manifest("cli_relu_any");
  const TempFolder folder;
  folder.file("libcli_relu_any.so", content(manifest.parent_path() / "libcli_relu_any.so"));
  const std::string other = folder.file("cli_relu_any.json", as_silu(content(manifest)));
  const Outcome outcome = gatefold({"check", "--library", other, "--shapes", "64x96"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("cli_relu_any.json: variant: "));
}

TEST(Check, RefusesShapesForALibraryOfFixedSizes) {
  const Outcome outcome =
      gatefold({"check", "--library", library_manifest("cli_swiglu"), "--shapes", "3x4"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--shapes: '3x4', but the library is for 64x160 only"));
}

}  // namespace
}  // namespace gatefold::test
