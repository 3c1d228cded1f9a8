// gatefold-check-kernels on generated libraries. What it sees of wrong ones under an emulator:
// tests/neon/wrong_kernels_test.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "gatefold/gatefold.h"
#include "tests/cli/block_files.h"
#include "tests/cli/gatefold_process.h"
#include "tests/cli/lying_library.h"

namespace gatefold::test {
namespace {

using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class CheckKernels : public testing::Test {
 protected:
  void SetUp() override {
    if (!gf_isa_usable("x86-avx2")) GTEST_SKIP() << "this CPU does not run x86-avx2";
  }
  static Outcome check(const std::vector<std::string>& arguments) {
    return gatefold(arguments, {.program = "gatefold-check-kernels"});
  }
};

std::set<std::string> values_in(const nlohmann::json& report) {
  std::set<std::string> values;
  for (const auto& cell : report["cells"]) values.insert(cell["values"].get<std::string>());
  return values;
}

TEST_F(CheckKernels, TakesManyLibraries) {
  const Outcome outcome = check({library_manifest("cli_swiglu"), library_manifest("cli_residual"),
                                 "--rows", "0,3", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out.substr(0, 2000) << outcome.err;
  const auto json = outcome.json();
  EXPECT_EQ(json["ok"], true);
  ASSERT_EQ(json["libraries"].size(), 2u);
  EXPECT_EQ(json["libraries"][0]["dtype"], "f32");
  EXPECT_EQ(json["libraries"][1]["dtype"], "bf16");
  EXPECT_THAT(values_in(json["libraries"][1]), Contains("residual"));
}

TEST_F(CheckKernels, KnowsValuesOfAnyShapeLibraries) {
  const Outcome outcome = check({library_manifest("cli_relu_any"), "--shapes", "1x37", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out.substr(0, 2000) << outcome.err;
  EXPECT_THAT(values_in(outcome.json()["libraries"][0]), Contains("known"));
}

TEST_F(CheckKernels, RejectsOneOfMany) {
  const TempFolder folder;
  const Outcome outcome = check(
      {lying_library(folder), library_manifest("cli_relu_any"), "--shapes", "64x96", "--json"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  const auto json = outcome.json();
  EXPECT_EQ(json["ok"], false);
  const auto& wrong = json["libraries"][0];
  EXPECT_EQ(wrong["ok"], false);
  EXPECT_EQ(json["libraries"][1]["ok"], true);
  for (const auto& cell : wrong["cells"]) {
    if (cell["values"] == "known") {  // relu has the limits of silu and no other of its values
      EXPECT_EQ(cell["ok"], cell["tolerance"] == 0) << cell.dump();
    }
  }
}

TEST_F(CheckKernels, NamesALibraryThatIsNoneAndGoesOn) {
  const TempFolder folder;
  const std::string none = folder.file("none.json", "{}");
  const Outcome outcome =
      check({none, library_manifest("cli_relu_any"), "--shapes", "1x37", "--json"});
  EXPECT_EQ(outcome.exit_code, 1);
  const auto json = outcome.json();
  EXPECT_THAT(json["libraries"][0]["error"].get<std::string>(), HasSubstr("none.json: field"));
  EXPECT_EQ(json["libraries"][1]["ok"], true);
}

TEST_F(CheckKernels, PrintsATableWithoutJson) {
  const Outcome outcome = check({library_manifest("cli_relu_any"), "--shapes", "1x37"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("calls compared with the f64 reference"));
}

TEST_F(CheckKernels, RefusesWrongUse) {
  for (const Outcome& outcome : {check({}), check({library_manifest("cli_relu_any"), "--loud"}),
                                 check({library_manifest("cli_relu_any"), "--shapes", "1"})}) {
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.err, StartsWith("gatefold-check-kernels: error: "));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
}

/// A manifest for another machine; its library is never opened.
std::string foreign_manifest(const TempFolder& folder) {
  std::string text = content(library_manifest("cli_relu_any"));
  const std::string field = "\"architecture\": \"x86_64\"";
  EXPECT_THAT(text, HasSubstr(field));
  return folder.file("foreign.json",
                     text.replace(text.find(field), field.size(), "\"architecture\": \"arm64\""));
}

TEST_F(CheckKernels, ExitsWithThreeForKernelsOfAnotherMachine) {
  const TempFolder folder;
  const std::string foreign = foreign_manifest(folder), right = library_manifest("cli_relu_any");
  const Outcome outcome = check({foreign, right, "--shapes", "1x37", "--json"});
  EXPECT_EQ(outcome.exit_code, 3) << outcome.err;
  EXPECT_EQ(outcome.json()["ok"], false);
  EXPECT_EQ(outcome.json()["libraries"][1]["ok"], true) << "the others are checked all the same";
  EXPECT_THAT(outcome.err, HasSubstr("gatefold-check-kernels: error: " + foreign +
                                     ": the library's kernels are for arm64, this machine is "));
  const TempFolder wrong;
  EXPECT_EQ(check({foreign, lying_library(wrong), "--shapes", "64x96"}).exit_code, 1)
      << "wrong kernels weigh more";
}

TEST_F(CheckKernels, ErrorsAndNotesAreItsOwn) {
  const TempFolder folder;
  const Outcome missing = check({folder / "none.json"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.err, StartsWith("gatefold-check-kernels: error: "));
  const Outcome unreached = check({library_manifest("cli_residual"), "--rows", "0"});
  EXPECT_THAT(missing.err + unreached.err, Not(HasSubstr("gatefold: ")));
}

TEST_F(CheckKernels, NamesADamagedLibraryOnce) {
  const TempFolder folder;
  const std::string text = content(library_manifest("cli_relu_any"));
  const std::string manifest = folder.file("cli_relu_any.json", without_hash(text));
  const std::string library = folder.file("libcli_relu_any.so", "no library");
  const std::string err = check({manifest}).err;
  const size_t at = err.find(library);
  ASSERT_NE(at, std::string::npos) << err;
  EXPECT_EQ(err.find(library, at + 1), std::string::npos) << err;
}

TEST_F(CheckKernels, ShapesThatNoMemoryHoldsAreNamed) {
  for (const char* program : {"gatefold-check-kernels", "gatefold"}) {
    std::vector<std::string> arguments = {library_manifest("cli_relu_any"), "--shapes",
                                          "1x37,1048576x1048576"};
    if (std::string(program) == "gatefold") {
      arguments.insert(arguments.begin(), {"check", "--library"});
    }
    const Outcome outcome = gatefold(arguments, {.program = program});
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    EXPECT_EQ(outcome.out, "") << "before anything is checked";
    EXPECT_THAT(outcome.err,
                StartsWith(std::string(program) + ": error: --shapes: '1048576x1048576' takes "));
    EXPECT_THAT(outcome.err, ContainsRegex("takes [0-9]+[.][0-9] GiB of memory or more, wanted at "
                                           "most the [0-9]+[.][0-9] GiB that there are here\n$"));
  }
}

}  // namespace
}  // namespace gatefold::test
