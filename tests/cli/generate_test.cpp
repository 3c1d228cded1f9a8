// `generate`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/cli/gatefold_process.h"
#include "tests/formats/files.h"

namespace gatefold::test {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;
using Arguments = std::vector<std::string>;

Arguments small_block(const std::string& folder, const Arguments& flags = {},
                      const std::string& dtype = "f32") {
  Arguments all = {"generate", "--variant", "swiglu", "--d-model", "24",   "--d-ff",
                   "40",       "--dtype",   dtype,    "--rows",    "1,4",  "--target",
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

TEST(Generate, TheModelChoosesForAnotherCpu) {
  const TempFolder folder;
  Arguments flags = small_block(folder.path(), {"--schedule", "model", "--cpu", "sapphirerapids"});
  std::replace(flags.begin(), flags.end(), std::string("x86-avx2"), std::string("x86-avx512"));
  const Outcome outcome = gatefold(flags);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const auto& kernel : outcome.json()["kernels"]) EXPECT_EQ(kernel["origin"], "model");
  EXPECT_THAT(content(folder / "k.json"), HasSubstr("\"origin\": \"model\""));
}

TEST(Generate, TheModelsPointsAreExportedAndReadBack) {
  const TempFolder first, second;
  const std::string winners = first / "model.json";
  const Outcome modelled = gatefold(
      small_block(first.path(), {"--schedule", "model", "--cpu", "zen3", "--export", winners}));
  ASSERT_EQ(modelled.exit_code, 0) << modelled.err;
  const Outcome again =
      gatefold(small_block(second.path(), {"--schedule", winners, "--cpu", "zen3"}));
  ASSERT_EQ(again.exit_code, 0) << again.err;
  const auto wanted = modelled.json()["kernels"], found = again.json()["kernels"];
  ASSERT_EQ(found.size(), wanted.size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i]["point"], wanted[i]["point"]);
    EXPECT_EQ(found[i]["origin"], "model");
    EXPECT_EQ(found[i]["match"], "micro_architecture");
  }
  EXPECT_THAT(again.json()["notes"], testing::IsEmpty());
}

TEST(Generate, ExportsNothingButTheModelsPoints) {
  const TempFolder folder;
  const Outcome outcome = gatefold(small_block(folder.path(), {"--export", folder / "w.json"}));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--export: with --schedule default, wanted model"));
  EXPECT_THAT(folder.names(), testing::IsEmpty());
}

TEST(Generate, AResidualIsInNamesAndKeys) {
  const TempFolder folder;
  const Outcome outcome = gatefold({"generate", "--variant", "relu", "--d-model", "24", "--d-ff",
                                    "40", "--dtype", "f32", "--residual", "--rows", "1", "--target",
                                    "x86-avx2", "-o", folder.path(), "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = outcome.json();
  EXPECT_EQ(json["residual"], true);
  EXPECT_EQ(json["name"], "ffn_relu_f32_24x40_residual");
  EXPECT_EQ(json["kernels"][0]["name"], "ffn_relu_f32_24x40_residual_avx2_rows_1_up");
  EXPECT_THAT(content(folder / "ffn_relu_f32_24x40_residual.json"),
              HasSubstr("\"residual\": true"));
  EXPECT_THAT(content(folder / "ffn_relu_f32_24x40_residual.h"), HasSubstr("with a residual"));
}

TEST(Generate, TheSameInputGivesTheSameBytes) {
  const TempFolder a, b;
  ASSERT_EQ(gatefold(small_block(a.path())).exit_code, 0);
  ASSERT_EQ(gatefold(small_block(b.path())).exit_code, 0);
  for (const std::string& file : kFiles) {
    EXPECT_EQ(content(a / file), content(b / file)) << file;
  }
}

TEST(Generate, TakesAnotherTypeForActivations) {
  const TempFolder folder;
  const Outcome outcome = gatefold(small_block(folder.path(), {"--act-dtype", "f32"}, "f16"));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.json()["dtype"], "f16");
  EXPECT_EQ(outcome.json()["act_dtype"], "f32");
  EXPECT_EQ(outcome.json()["kernels"][0]["name"], "ffn_swiglu_f16_f32_24x40_avx2_rows_1_1");
  const Outcome check = gatefold({"check", "--library", folder / "k.json", "--json"});
  EXPECT_EQ(check.exit_code, 0) << check.err;
  for (const auto& cell : check.json()["cells"])
    EXPECT_LE(cell["tolerance"].get<double>(), 2e-6) << "y is not rounded to f16";
}

TEST(Generate, RefusesOtherActivationTypes) {
  const TempFolder folder;
  const Outcome outcome = gatefold(small_block(folder.path(), {"--act-dtype", "bf16"}));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--act-dtype: 'bf16' with weights in f32, wanted f32"));
  EXPECT_THAT(folder.names(), testing::IsEmpty());
}

TEST(Generate, RefusesSumsInF16WhereTheyCannotBe) {
  const TempFolder folder;
  const Outcome on_x86 = gatefold(small_block(folder.path(), {"--accumulate", "f16"}, "f16"));
  EXPECT_EQ(on_x86.exit_code, 2);
  EXPECT_THAT(on_x86.err, HasSubstr("--accumulate: 'f16' on target 'x86-avx2', wanted f32"));
  const Outcome of_f32 = gatefold(small_block(folder.path(), {"--accumulate", "f16"}));
  EXPECT_EQ(of_f32.exit_code, 2);
  EXPECT_THAT(of_f32.err, HasSubstr("--accumulate: 'f16' with weights in f32"));
  EXPECT_THAT(folder.names(), testing::IsEmpty());
}

TEST(Generate, TakesAPointAndAProfile) {
  const TempFolder folder;
  const Outcome outcome = gatefold(
      small_block(folder.path(), {"--schedule", "mr=2 fusion=unfused mb=0", "--cpu", "zen4"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const auto& kernel : outcome.json()["kernels"]) {
    EXPECT_EQ(kernel["origin"], "given");
    EXPECT_EQ(kernel["match"], "given");
    EXPECT_THAT(kernel["point"].get<std::string>(), HasSubstr("fusion=unfused mr=2 "));
  }
}

TEST(Generate, WithoutWinnersTheDefaultIsTakenWithANote) {
  const TempFolder folder;
  const Outcome outcome = gatefold(small_block(folder.path(), {"--schedule", "tuned"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.json()["kernels"][0]["origin"], "default");
  EXPECT_EQ(outcome.json()["kernels"][0]["match"], "analytic");
  const auto manifest = nlohmann::json::parse(content(folder / "k.json"));
  EXPECT_EQ(manifest["kernels"][0]["match"], "analytic");
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

TEST(Generate, ADestinationThatIsAFolderLeavesTheOldLibraryWhole) {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "k.h");
  folder.file("libk.a", "older");
  const Outcome outcome = gatefold(small_block(folder.path()));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("k.h: is a folder"));
  EXPECT_EQ(content(folder / "libk.a"), "older");
  EXPECT_THAT(folder.names(), UnorderedElementsAre("k.h", "libk.a"));
}

TEST(Generate, KeepsTheOldLibraryWhenItFails) {
  const TempFolder folder;
  ASSERT_EQ(gatefold(small_block(folder.path())).exit_code, 0);
  const std::string before = content(folder / "libk.so");
  EXPECT_EQ(gatefold(small_block(folder.path()), {.file_size_limit = 2048}).exit_code, 1);
  EXPECT_EQ(content(folder / "libk.so"), before);
  EXPECT_THAT(folder.names(), testing::UnorderedElementsAreArray(kFiles));
}

}  // namespace
}  // namespace gatefold::test
