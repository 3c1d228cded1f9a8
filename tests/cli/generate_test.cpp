// `generate` and what `check` and `bench` say of its libraries.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gatefold/gatefold.h"
#include "tests/cli/block_files.h"
#include "tests/cli/gatefold_process.h"
#include "tests/formats/files.h"

namespace gatefold::test {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;
using Arguments = std::vector<std::string>;

Arguments small_block(const std::string& folder, const Arguments& flags = {}) {
  Arguments all = {"generate", "--variant", "swiglu", "--d-model", "24",   "--d-ff",
                   "40",       "--dtype",   "f32",    "--rows",    "1,4",  "--target",
                   "x86-avx2", "--name",    "k",      "-o",        folder, "--json"};
  all.insert(all.end(), flags.begin(), flags.end());
  return all;
}

const Arguments kFiles = {"k.json", "k.h", "kConfig.cmake", "libk.a", "libk.so"};

TEST(Generate, MakesTheFilesAndSaysWhatIsInThem) {
  const TempFolder folder;
  folder.file("mine.txt", "stays");
  const Outcome outcome = gatefold(small_block(folder.path()));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = outcome.json();
  EXPECT_THAT(json["library"].get<std::string>(), HasSubstr("k.json"));
  ASSERT_EQ(json["kernels"].size(), 2u);
  const auto& first = json["kernels"][0];
  EXPECT_EQ(first["name"], "ffn_swiglu_f32_24x40_avx2_rows_1_1");
  EXPECT_EQ(first["rows_min"], 1);
  EXPECT_EQ(first["rows_max"], 1);
  EXPECT_EQ(first["target"], "x86-avx2");
  EXPECT_EQ(first["origin"], "default");
  EXPECT_THAT(first["packing"].get<std::string>(), HasSubstr("panel="));
  EXPECT_THAT(first["point"].get<std::string>(), HasSubstr("fusion="));
  EXPECT_EQ(json["kernels"][1]["rows_min"], 2);
  EXPECT_TRUE(json["kernels"][1]["rows_max"].is_null());
  Arguments wanted = kFiles;
  wanted.push_back("mine.txt");
  EXPECT_THAT(folder.names(), testing::UnorderedElementsAreArray(wanted));
}

TEST(Generate, TheSameInputGivesTheSameBytes) {
  const TempFolder a, b;
  ASSERT_EQ(gatefold(small_block(a.path())).exit_code, 0);
  ASSERT_EQ(gatefold(small_block(b.path())).exit_code, 0);
  for (const std::string& file : kFiles) {
    EXPECT_EQ(content(a / file), content(b / file)) << file;
  }
}

TEST(Generate, TakesAPointAndAProfile) {
  const TempFolder folder;
  const Outcome outcome = gatefold(
      small_block(folder.path(), {"--schedule", "mr=2 fusion=unfused mb=0", "--cpu", "zen4"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const auto& kernel : outcome.json()["kernels"]) {
    EXPECT_EQ(kernel["origin"], "given");
    EXPECT_THAT(kernel["point"].get<std::string>(), HasSubstr("fusion=unfused mr=2 "));
  }
}

TEST(Generate, WithoutWinnersTheDefaultIsTakenWithANote) {
  const TempFolder folder;
  const Outcome outcome = gatefold(small_block(folder.path(), {"--schedule", "tuned"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.json()["kernels"][0]["origin"], "default");
  EXPECT_THAT(outcome.err,
              HasSubstr("gatefold: note: x86-avx2: default schedules, since no winners"));
}

TEST(Generate, WinnerFilesThatAreNotOursAreRefused) {
  const TempFolder folder;
  folder.file("text.db", "not a database, and not JSON");
  folder.file("other.json", "{\"format\": \"something else\"}");
  for (const char* file : {"text.db", "other.json"}) {
    const Outcome outcome = gatefold(small_block(folder / "out", {"--schedule", folder / file}));
    EXPECT_EQ(outcome.exit_code, 1) << file;
    EXPECT_THAT(outcome.err, AllOf(testing::StartsWith("gatefold: error: "), HasSubstr(file)));
  }
  EXPECT_THAT(folder.names(), UnorderedElementsAre("other.json", "text.db"));
}

TEST(Generate, AFileAsFolderAndAFullDiskLeaveNothing) {
  const TempFolder folder;
  folder.file("file", "a file");
  const Outcome outcome = gatefold(small_block(folder / "file"));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("file"));
  EXPECT_EQ(content(folder / "file"), "a file");
  std::filesystem::create_directory(folder / "out");
  const Outcome limited = gatefold(small_block(folder / "out"), {.file_size_limit = 2048});
  EXPECT_EQ(limited.exit_code, 1) << limited.err;
  EXPECT_TRUE(std::filesystem::is_empty(folder / "out"));
}

TEST(Generate, KeepsTheOldLibraryWhenItFails) {
  const TempFolder folder;
  ASSERT_EQ(gatefold(small_block(folder.path())).exit_code, 0);
  const std::string before = content(folder / "libk.so");
  EXPECT_EQ(gatefold(small_block(folder.path()), {.file_size_limit = 2048}).exit_code, 1);
  EXPECT_EQ(content(folder / "libk.so"), before);
  EXPECT_THAT(folder.names(), testing::UnorderedElementsAreArray(kFiles));
}

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

/// A library whose table claims another activation than its kernels have.
std::string lying_library(const TempFolder& folder) {
  const std::string manifest = library_manifest("cli_relu_any");
  std::string library =
      content(std::filesystem::path(manifest).parent_path() / "libcli_relu_any.so");
  const std::string told("\0relu\0", 6), wanted("\0silu\0", 6);
  const size_t place = library.find(told);
  EXPECT_NE(place, std::string::npos);
  library.replace(place, told.size(), wanted);
  folder.file("libcli_relu_any.so", library);
  return folder.file("cli_relu_any.json", content(manifest));
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

TEST(Bench, TimesAgainstUnfused) {
  if (!gf_isa_usable("x86-avx2")) GTEST_SKIP() << "this CPU does not run x86-avx2";
  const Outcome outcome =
      gatefold({"bench", "--library", library_manifest("cli_swiglu"), "--rows", "1,5", "--threads",
                "1", "--warm", "--seconds", "0.05", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  const auto json = outcome.json();
  ASSERT_EQ(json["cells"].size(), 4u);
  for (const auto& cell : json["cells"]) {
    EXPECT_EQ(cell["ok"], true) << cell.dump();
    EXPECT_EQ(cell["weights"], "warm");
    EXPECT_TRUE(cell["efficiency"].is_null());
    EXPECT_LE(cell["min_ms"], cell["median_ms"]);
  }
  EXPECT_EQ(json["cells"][0]["impl"], "gatefold");
  EXPECT_EQ(json["cells"][1]["impl"], "unfused");
  EXPECT_GT(json["roof"]["f32_gflops"], 0);
}

/// Whatever the machine does meanwhile: an efficiency is in (0, 1.05], or there is none.
TEST(Bench, EfficiencyOfColdWeightsIsPossibleOrRefused) {
  if (!gf_isa_usable("x86-avx2")) GTEST_SKIP() << "this CPU does not run x86-avx2";
  const Outcome outcome =
      gatefold({"bench", "--library", library_manifest("cli_relu_any"), "--shape", "1024x2048",
                "--rows", "1", "--threads", "1", "--vs", "none", "--seconds", "0.1", "--json"});
  const auto json = outcome.json();
  ASSERT_EQ(json["cells"].size(), 1u) << outcome.err;
  const auto& cell = json["cells"][0];
  if (cell["weights"] == "warm") GTEST_SKIP() << "the last cache holds 256 copies of 16 MiB";
  EXPECT_EQ(outcome.exit_code, cell["ok"] == true ? 0 : 1);
  EXPECT_EQ(cell["ok"], cell["efficiency"].is_number()) << cell.dump();
  if (!cell["efficiency"].is_number()) return;
  EXPECT_GT(cell["efficiency"], 0);
  EXPECT_LE(cell["efficiency"], 1.05);
}

TEST(Bench, AnOpenShapeMustBeGiven) {
  if (!gf_isa_usable("x86-avx2")) GTEST_SKIP() << "this CPU does not run x86-avx2";
  const Outcome outcome = gatefold({"bench", "--library", library_manifest("cli_relu_any")});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--shape: missing"));
  EXPECT_EQ(
      gatefold({"bench", "--library", library_manifest("cli_swiglu"), "--shape", "8x8"}).exit_code,
      2);
}

}  // namespace
}  // namespace gatefold::test
