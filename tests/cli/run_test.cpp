// `run`: real files in and out, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "formats/npy.h"
#include "gatefold/gatefold.h"
#include "tests/cli/block_files.h"
#include "tests/cli/gatefold_process.h"
#include "tests/formats/files.h"

namespace gatefold::test {
namespace {

using ::testing::HasSubstr;
using Arguments = std::vector<std::string>;

class Run : public testing::Test {
 protected:
  void SetUp() override {
    if (!gf_isa_usable("x86-avx2")) GTEST_SKIP() << "this CPU does not run x86-avx2";
  }

  void expect_output(const SwigluFiles& files, int64_t rows) {
    const NpyArray y = read_npy_f32(files.output, 2);
    ASSERT_THAT(y.shape, testing::ElementsAre(rows, SwigluFiles::kModel));
    const std::vector<double> expected = files.expected();
    for (size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(y.values[i], expected[i], 1e-5) << i;
  }

  TempFolder folder_;
};

TEST_F(Run, WritesTheBlocksOutputAndReports) {
  const SwigluFiles files(folder_.path().string(), 5);
  const Outcome outcome =
      gatefold(files.run_command({"--json", "--threads", "1", "--repeat", "2"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = outcome.json();
  EXPECT_EQ(json["rows"], 5);
  EXPECT_EQ(json["isa"], "x86-avx2");
  EXPECT_EQ(json["match"], "exact");
  EXPECT_EQ(json["origin"], "default");
  EXPECT_THAT(json["kernel"].get<std::string>(), HasSubstr("ffn_swiglu_f32_64x160"));
  EXPECT_GT(json["min_ms"], 0);
  EXPECT_GE(json["median_ms"], json["min_ms"]);
  EXPECT_GT(json["first_call_ms"], 0);
  EXPECT_EQ(outcome.err, "");
  expect_output(files, 5);
}

TEST_F(Run, TakesAnyNumberOfRows) {
  for (const int64_t rows : {0, 1, 4, 33}) {
    const SwigluFiles files(folder_.path().string(), rows);
    const Outcome outcome = gatefold(files.run_command({"--json"}));
    ASSERT_EQ(outcome.exit_code, 0) << rows << ": " << outcome.err;
    EXPECT_EQ(outcome.json()["rows"], rows);
    expect_output(files, rows);
  }
}

TEST_F(Run, FusedTensorsInEveryOrderGiveTheSame) {
  const SwigluFiles files(folder_.path().string(), 3);
  for (const std::string order : {"gate_first", "up_first", "interleaved"}) {
    const Outcome outcome =
        gatefold(files.bare_command({"--gate-up", order, "--order", order, "--down", "down"}));
    ASSERT_EQ(outcome.exit_code, 0) << order << ": " << outcome.err;
    expect_output(files, 3);
  }
}

TEST_F(Run, TakesWeightsStoredTransposed) {
  const SwigluFiles files(folder_.path().string(), 3);
  const Outcome outcome = gatefold(files.bare_command(
      {"--gate", "gate_in_out", "--up", "up_in_out", "--down", "down_in_out", "--transposed"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  expect_output(files, 3);
}

TEST_F(Run, GivesTheSameBitsForAnyThreadCount) {
  const SwigluFiles files(folder_.path().string(), 17);
  ASSERT_EQ(gatefold(files.run_command({"--threads", "1"})).exit_code, 0);
  const std::string one = content(files.output);
  ASSERT_EQ(gatefold(files.run_command({"--threads", "2"})).exit_code, 0);
  EXPECT_EQ(content(files.output), one);
}

class RunResidual : public Run {
 protected:
  static constexpr int64_t kRows = 3, kModel = SwigluFiles::kModel;

  /// The block's own library adds a residual.
  Outcome run(const Arguments& flags, const std::string& library = "cli_residual") {
    Arguments command = files_.run_command(flags);
    command[2] = library_manifest(library);
    return gatefold(command);
  }
  std::string error(const Arguments& flags, int exit_code) {
    const Outcome outcome = run(flags);
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(files_.output));
    return outcome.err;
  }
  std::string residual(int64_t rows, int64_t cols) {
    const std::string path = folder_ / "r.npy";
    write_npy_f32(path, rows, cols, values(static_cast<size_t>(rows * cols), 11));
    return path;
  }

  SwigluFiles files_{folder_.path().string(), kRows};
};

TEST_F(RunResidual, IsAdded) {
  const Outcome outcome = run({"--residual", residual(kRows, kModel), "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.json()["residual"], true);
  EXPECT_THAT(outcome.json()["kernel"].get<std::string>(), HasSubstr("64x160_residual_avx2"));
  const NpyArray y = read_npy_f32(files_.output, 2);
  const std::vector<float> added = values(kRows * kModel, 11);
  const std::vector<double> block = files_.expected();
  // Weights, x and the result are rounded to bf16 on the way.
  for (size_t i = 0; i < block.size(); ++i) ASSERT_NEAR(y.values[i], block[i] + added[i], 5e-3);
}

TEST_F(RunResidual, IsNeededExactlyWhereTheLibraryAddsOne) {
  EXPECT_THAT(error({}, 2), HasSubstr("--residual: missing"));
  const Outcome unused = run({"--residual", residual(kRows, kModel)}, "cli_swiglu");
  EXPECT_EQ(unused.exit_code, 2);
  EXPECT_THAT(unused.err, HasSubstr("was generated without --residual"));
}

TEST_F(RunResidual, HasTheInputsShape) {
  EXPECT_THAT(error({"--residual", residual(kRows + 1, kModel)}, 1),
              HasSubstr("r.npy: shape [4, 64], wanted [3, 64]"));
  EXPECT_THAT(error({"--residual", residual(kRows, kModel - 1)}, 1), HasSubstr("[3, 63]"));
  EXPECT_THAT(error({"--residual", folder_ / "none.npy"}, 1), HasSubstr("none.npy"));
}

struct BadTensors {
  const char* what;
  int exit_code;
  Arguments flags;
  std::vector<std::string> message;
};

TEST_F(Run, BadTensorFlagsAreRefusedAndNothingIsWritten) {
  const SwigluFiles files(folder_.path().string(), 3);
  const std::vector<BadTensors> cases = {
      {"no gate", 2, {"--up", "up", "--down", "down"}, {"--gate: missing", "'swiglu'"}},
      {"no down", 2, {"--gate", "gate", "--up", "up"}, {"--down: missing"}},
      {"no order",
       2,
       {"--gate-up", "gate_first", "--down", "down"},
       {"--order: missing", "gate_first, up_first or interleaved"}},
      {"unknown order",
       2,
       {"--gate-up", "gate_first", "--order", "up_frist", "--down", "down"},
       {"did you mean 'up_first'?"}},
      {"order without fused",
       2,
       {"--gate", "gate", "--up", "up", "--down", "down", "--order", "up_first"},
       {"--order"}},
      {"both",
       2,
       {"--gate", "gate", "--gate-up", "gate_first", "--order", "gate_first", "--down", "down"},
       {"--gate: 'gate'"}},
      {"bias",
       2,
       {"--gate", "gate", "--up", "up", "--down", "down", "--up-bias", "vector"},
       {"--up-bias", "without --bias"}},
      {"swapped up and down",
       1,
       {"--gate", "gate", "--up", "down", "--down", "up"},
       {"w.safetensors: tensor 'down': shape [64, 160], wanted [160, 64]"}},
      {"transposed down",
       1,
       {"--gate", "gate", "--up", "up", "--down", "down_in_out"},
       {"'down_in_out': shape [160, 64], wanted [64, 160]", "--transposed"}},
      {"odd fused width",
       1,
       {"--gate-up", "odd", "--order", "gate_first", "--down", "down"},
       {"'odd': shape [3, 64], wanted an even number of outputs", "320"}},
      {"gate as fused",
       1,
       {"--gate-up", "gate", "--order", "gate_first", "--down", "down"},
       {"'gate': shape [160, 64], wanted [320, 64]"}},
      {"a vector",
       1,
       {"--gate", "vector", "--up", "up", "--down", "down"},
       {"'vector': shape [160], wanted a matrix"}},
      {"absent", 1, {"--gate", "gat", "--up", "up", "--down", "down"}, {"'gat'", "gate"}},
  };
  for (const BadTensors& bad : cases) {
    SCOPED_TRACE(bad.what);
    const Outcome outcome = gatefold(files.bare_command(bad.flags));
    EXPECT_EQ(outcome.exit_code, bad.exit_code) << outcome.err;
    EXPECT_THAT(outcome.err, testing::StartsWith("gatefold: error: "));
    for (const std::string& part : bad.message) EXPECT_THAT(outcome.err, HasSubstr(part));
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(folder_.names(), testing::UnorderedElementsAre("w.safetensors", "x.npy"));
  }
}

TEST_F(Run, BadInputFilesAreRefused) {
  const SwigluFiles files(folder_.path().string(), 3);
  const auto error = [&] {
    const Outcome outcome = gatefold(files.run_command());
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(outcome.out, "");
    EXPECT_FALSE(std::filesystem::exists(files.output));
    return outcome.err;
  };
  const std::string good = content(files.input);
  const auto replace = [&](const std::string& what, const std::string& by) {
    std::string text = good;
    text.replace(text.find(what), what.size(), by);
    folder_.file("x.npy", text);
  };
  write_npy_f32(files.input, 3, 63, values(3 * 63, 9));
  EXPECT_THAT(error(), HasSubstr("x.npy: shape [3, 63], wanted [rows, 64] (d_model)"));
  replace("(3, 64)", "(192,) ");
  EXPECT_THAT(error(), HasSubstr("x.npy"));
  replace("False", "True ");
  EXPECT_THAT(error(), HasSubstr("x.npy"));
  replace("<f4", ">f4");
  EXPECT_THAT(error(), HasSubstr(">f4"));
  folder_.file("x.npy", good.substr(0, good.size() - 1));
  EXPECT_THAT(error(), HasSubstr("x.npy"));
  folder_.file("x.npy", good);
  folder_.file("w.safetensors", content(files.weights).substr(0, 100));
  EXPECT_THAT(error(), HasSubstr("w.safetensors"));
  std::filesystem::remove(files.weights);
  EXPECT_THAT(error(), HasSubstr("w.safetensors"));
}

TEST_F(Run, BadLibrariesAreRefused) {
  const SwigluFiles files(folder_.path().string(), 3);
  Arguments command = files.run_command();
  const auto error = [&](const std::string& manifest) {
    command[2] = manifest;
    const Outcome outcome = gatefold(command);
    EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
    return outcome.err;
  };
  const std::string good = content(library_manifest("cli_swiglu"));
  EXPECT_THAT(error(folder_ / "none.json"), HasSubstr("none.json"));
  folder_.file("cut.json", good.substr(0, good.size() / 2));
  EXPECT_THAT(error(folder_ / "cut.json"), HasSubstr("cut.json"));
  folder_.file("other.json", "{\"format\": \"something else\"}");
  EXPECT_THAT(error(folder_ / "other.json"), HasSubstr("other.json"));
  folder_.file("deep.json",
               "{\"format\":" + std::string(100000, '[') + std::string(100000, ']') + "}");
  EXPECT_THAT(error(folder_ / "deep.json"), HasSubstr("deep.json: nested too deeply"));
  EXPECT_THAT(error("/dev/zero"), HasSubstr("/dev/zero: is a device"));
  std::string newer = good;
  newer.replace(newer.find("\"version\": 1"), 12, "\"version\": 9");
  folder_.file("newer.json", newer);
  EXPECT_THAT(error(folder_ / "newer.json"), AllOf(HasSubstr("newer.json"), HasSubstr("9")));
  folder_.file("moved.json", good);  // its .so is not here
  EXPECT_THAT(error(folder_ / "moved.json"), HasSubstr("libcli_swiglu.so"));
  folder_.file("libcli_swiglu.so", "not a library");
  EXPECT_THAT(error(folder_ / "moved.json"), HasSubstr("libcli_swiglu.so"));
}

TEST_F(Run, OutputThatCannotBeWrittenLeavesNothing) {
  const SwigluFiles files(folder_.path().string(), 8);
  const Outcome limited = gatefold(files.run_command(), {.file_size_limit = 1024});
  EXPECT_EQ(limited.exit_code, 1);
  EXPECT_THAT(limited.err, HasSubstr("y.npy"));
  EXPECT_THAT(folder_.names(), testing::UnorderedElementsAre("w.safetensors", "x.npy"));
  std::filesystem::create_directory(files.output);
  EXPECT_EQ(gatefold(files.run_command()).exit_code, 1);
}

TEST_F(Run, IsaAndEnvironmentChooseTheTarget) {
  const SwigluFiles files(folder_.path().string(), 1);
  EXPECT_EQ(gatefold(files.run_command({"--isa", "x86-avx3"})).exit_code, 2);
  EXPECT_EQ(gatefold(files.run_command({"--isa", "x86-avx2"})).exit_code, 0);
  EXPECT_EQ(gatefold(files.run_command({"--isa", "host"})).exit_code, 0);
  const Outcome outcome = gatefold(files.run_command({"--isa", "x86-avx512-bf16"}));
  EXPECT_EQ(outcome.exit_code, 3) << outcome.err;
  const Outcome by_environment =
      gatefold(files.run_command(), {.environment = {"GATEFOLD_ISA=x86-avx512-bf16"}});
  EXPECT_EQ(by_environment.exit_code, 3) << by_environment.err;
}

TEST(Unavailable, ALibraryForAnotherCpuExitsWithThree) {
  if (gf_isa_usable("x86-avx512-bf16")) GTEST_SKIP() << "this CPU runs x86-avx512-bf16";
  const TempFolder folder;
  const std::string weights = folder / "w.safetensors", library = library_manifest("cli_bf16_dot");
  write_weights(weights,
                {{"up", {{64, 64}, values(64 * 64, 1)}}, {"down", {{64, 64}, values(64 * 64, 2)}}});
  write_npy_f32(folder / "x.npy", 1, 64, values(64, 3));
  const Outcome outcome =
      gatefold({"run", "--library", library, "--weights", weights, "--up", "up", "--down", "down",
                "--input", folder / "x.npy", "--output", folder / "y.npy"});
  EXPECT_EQ(outcome.exit_code, 3) << outcome.err;
  EXPECT_EQ(gatefold({"check", "--library", library}).exit_code, 3);
  EXPECT_EQ(gatefold({"bench", "--library", library, "--vs", "none"}).exit_code, 3);
  EXPECT_EQ(gatefold({"tune", "--preset", "gpt2", "--target", "x86-avx512-bf16", "--dtype", "bf16",
                      "--rows", "1", "--trials", "1", "--db", folder / "t.db"})
                .exit_code,
            3);
}

}  // namespace
}  // namespace gatefold::test
