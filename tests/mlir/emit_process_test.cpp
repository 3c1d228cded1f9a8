#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "generator/process.h"
#include "tests/mlir/blocks.h"
#include "tests/support/paths.h"
#include "tests/support/temporary_folder.h"

namespace gatefold::test {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class EmitMlir : public testing::Test {
 protected:
  /// Runs the program on a block; `more` comes last, so that it overrides.
  ProcessResult run(const std::vector<std::string>& more) {
    std::vector<std::string> command = {(fs::path(binary_dir()) / "gatefold-emit-mlir").string(),
                                        "--variant",
                                        "swiglu",
                                        "--d-model",
                                        "any",
                                        "--d-ff",
                                        "any",
                                        "--bias",
                                        "--rows-min",
                                        "17",
                                        "--rows-max",
                                        "open",
                                        "--tuned-rows",
                                        "64",
                                        "--point",
                                        "fusion=gated",
                                        "--name",
                                        "block",
                                        "-o",
                                        ptx().string(),
                                        "--source",
                                        source().string()};
    command.insert(command.end(), more.begin(), more.end());
    ProcessResult result;
    run_processes({command}, 1, {.timeout_s = 120}, [&](size_t, const ProcessResult& r) {
      result = r;
      return true;
    });
    return result;
  }

  fs::path ptx() const { return folder_.path() / "block.ptx"; }
  fs::path source() const { return folder_.path() / "block.c"; }

  const std::string packing_ = "panel=64 pair=8 k_step=4 group=1";

 private:
  TemporaryFolder folder_;
};

TEST_F(EmitMlir, WritesPtxAndTheCall) {
  for (const std::string target : {"cuda-sm80", "cuda-sm90"}) {
    const ProcessResult r = run({"--target", target, "--dtype", "bf16", "--packing", packing_});
    ASSERT_TRUE(r.ok()) << r.errors;
    EXPECT_NE(text_of(ptx()).find(".target sm_" + target.substr(7)), std::string::npos);
    EXPECT_NE(text_of(ptx()).find(".entry block_hidden("), std::string::npos);
    EXPECT_NE(text_of(source()).find("int block_argv(void **args)"), std::string::npos);
  }
}

TEST_F(EmitMlir, TakesAPoint) {
  const std::string point = "bm=64 bn=32 bk=64 stages=3 warps_m=2 warps_n=2 split_k=4";
  const ProcessResult r = run(
      {"--target", "cuda-sm80", "--dtype", "f16", "--packing", packing_, "--tensor-core", point});
  ASSERT_TRUE(r.ok()) << r.errors;
  EXPECT_NE(text_of(ptx()).find(".entry block_sum("), std::string::npos);
}

struct Refused {
  std::vector<std::string> flags;
  std::string message;
};

TEST_F(EmitMlir, RefusesByTheNameOfWhatIsWrong) {
  const std::vector<Refused> cases = {
      {{"--target", "x86-avx2", "--dtype", "bf16", "--packing", packing_},
       "--target: 'x86-avx2' has no tensor cores"},
      {{"--target", "cuda-sm80", "--dtype", "f32", "--packing", packing_}, "dtype is f32"},
      {{"--target", "cuda-sm80", "--dtype", "bf16", "--act-dtype", "f32", "--packing", packing_},
       "x and y are in f32"},
      {{"--target", "cuda-sm80", "--dtype", "bf16", "--packing", "panel=16 pair=2"},
       "packing: panel is 16"},
      {{"--target", "cuda-sm80", "--dtype", "bf16", "--packing", packing_, "--tensor-core", "bm=3"},
       "tensor-core point: no bn="},
  };
  for (const Refused& c : cases) {
    const ProcessResult r = run(c.flags);
    EXPECT_EQ(r.exit_code, 2) << c.message;
    EXPECT_NE(r.errors.find("gatefold-emit-mlir: error: "), std::string::npos) << r.errors;
    EXPECT_NE(r.errors.find(c.message), std::string::npos) << r.errors;
    EXPECT_FALSE(fs::exists(ptx()));
  }
}

TEST_F(EmitMlir, AFileThatCannotBeWrittenIsAnError) {
  const ProcessResult r = run({"--target", "cuda-sm80", "--dtype", "bf16", "--packing", packing_,
                               "--assembly", "/nowhere/block.s"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_NE(r.errors.find("/nowhere/block.s: cannot be written"), std::string::npos) << r.errors;
}

}  // namespace
}  // namespace gatefold::test
