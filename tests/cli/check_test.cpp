// `check` on generated libraries.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "gatefold/gatefold.h"
#include "tests/cli/block_files.h"
#include "tests/cli/gatefold_process.h"
#include "tests/cli/lying_library.h"
#include "tests/formats/files.h"

namespace gatefold::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

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

/// What `check` says of cli_relu_any when a text of its manifest is another.
std::string error_with(const std::string& from, const std::string& to, int code = 1) {
  const std::filesystem::path manifest = library_manifest("cli_relu_any");
  const TempFolder folder;
  folder.file("libcli_relu_any.so", content(manifest.parent_path() / "libcli_relu_any.so"));
  std::string text = content(manifest);
  const size_t place = text.find(from);
  EXPECT_NE(place, std::string::npos) << text;
  const std::string other = folder.file("cli_relu_any.json", text.replace(place, from.size(), to));
  const Outcome outcome = gatefold({"check", "--library", other, "--shapes", "64x96"});
  EXPECT_EQ(outcome.exit_code, code) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  return outcome.err;
}

TEST(Check, RefusesKernelsOtherThanTheTables) {
  if (!gf_isa_usable("x86-avx2")) GTEST_SKIP() << "this CPU does not run x86-avx2";
  const auto first = [](const std::string& field) {
    return "cli_relu_any.json: kernels[0]: field '" + field + "': ";
  };
  EXPECT_THAT(error_with("\"point\": \"fusion=gated ", "\"point\": \"fusion=blocked "),
              AllOf(HasSubstr(first("point") + "fusion=blocked "),
                    HasSubstr("libcli_relu_any.so holds fusion=gated ")));
  EXPECT_THAT(error_with("\"name\": \"ffn_", "\"name\": \"fnn_"), HasSubstr(first("name")));
  EXPECT_THAT(error_with("\"target\": \"x86-avx2\"", "\"target\": \"x86-avx512\""),
              HasSubstr(first("target") + "x86-avx512, but "));
  EXPECT_THAT(error_with("\"rows_max\": 1,", "\"rows_max\": 2,"), HasSubstr(first("rows_max")));
  EXPECT_THAT(error_with("panel=", "panel=9"), HasSubstr(first("packing") + "panel=9"));
  EXPECT_THAT(error_with("\"origin\": \"default\"", "\"origin\": \"tuned\""),
              HasSubstr(first("origin") + "tuned, but "));
}

TEST(Check, RefusesAListThatIsShorterThanTheTables) {
  if (!gf_isa_usable("x86-avx2")) GTEST_SKIP() << "this CPU does not run x86-avx2";
  const std::string text = content(library_manifest("cli_relu_any"));
  const auto json = nlohmann::json::parse(text);
  ASSERT_EQ(json["kernels"].size(), 2u);
  const size_t second = text.rfind("    {", text.find("\"rows_min\": 2"));
  const size_t begin = text.rfind(',', second), end = text.find('}', second) + 1;
  EXPECT_THAT(error_with(text.substr(begin, end - begin), ""),
              HasSubstr("cli_relu_any.json: kernels: 1, but "));
}

TEST(Check, RefusesALibraryOfOtherBytesThanTheManifestWasWrittenFor) {
  if (!gf_isa_usable("x86-avx2")) GTEST_SKIP() << "this CPU does not run x86-avx2";
  const std::filesystem::path manifest = library_manifest("cli_relu_any");
  const TempFolder folder;
  std::string library = content(manifest.parent_path() / "libcli_relu_any.so");
  for (size_t i = 0x2000; i < 0x2100; ++i) library.at(i) = static_cast<char>(library[i] ^ 0x5a);
  folder.file("libcli_relu_any.so", library);
  const std::string copy = folder.file("cli_relu_any.json", content(manifest));
  const Outcome outcome = gatefold({"check", "--library", copy, "--shapes", "64x96"});
  EXPECT_EQ(outcome.exit_code, 1) << "damaged code, and it runs";
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("libcli_relu_any.so: "), HasSubstr(" bytes of hash "),
                                 HasSubstr(" that cli_relu_any.json was written for")));
}

TEST(Check, NamesAnEnvironmentThatAsksForNoTarget) {
  if (!gf_isa_usable("x86-avx2")) GTEST_SKIP() << "this CPU does not run x86-avx2";
  const std::string library = library_manifest("cli_swiglu");
  const std::vector<std::pair<std::string, std::vector<std::string>>> programs = {
      {"gatefold", {"check", "--library", library}},
      {"gatefold", {"bench", "--library", library, "--rows", "1", "--vs", "none"}},
      {"gatefold-check-kernels", {library}},
      {"gatefold-worker", {}}};
  for (const auto& [program, arguments] : programs) {
    const Outcome outcome =
        gatefold(arguments, {.environment = {"GATEFOLD_ISA=nonsense"}, .program = program});
    EXPECT_EQ(outcome.exit_code, 3) << program << ": " << outcome.err;
    EXPECT_THAT(outcome.err, StartsWith(program + ": error: "));
    EXPECT_THAT(outcome.err,
                HasSubstr("GATEFOLD_ISA: target 'nonsense' is not known (best here: "));
  }
  const Outcome known = gatefold({"check", "--library", library, "--rows", "0"},
                                 {.environment = {"GATEFOLD_ISA=x86-avx512-bf16"}});
  EXPECT_EQ(known.exit_code, 0) << "each target is asked for by itself: " << known.err;
}

TEST(Check, RefusesShapesForALibraryOfFixedSizes) {
  const Outcome outcome =
      gatefold({"check", "--library", library_manifest("cli_swiglu"), "--shapes", "3x4"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--shapes: '3x4', but the library is for 64x160 only"));
}

}  // namespace
}  // namespace gatefold::test
