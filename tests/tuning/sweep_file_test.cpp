#include "tuning/sweep_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "spec/error.h"
#include "tests/tuning/fake_candidate.h"

namespace gatefold::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

/// A file that is right, with one line more or instead.
std::string with(const std::string& line) {
  return "variants = ['swiglu']\nsizes = ['64x128']\ntargets = ['x86-avx2']\ntrials = 4\n" + line +
         "\n";
}

std::string error_of(const std::string& text) {
  try {
    parse_sweep(text, "s.toml");
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::usage) << e.what();
    return e.what();
  }
  return "no error";
}

TEST(SweepFile, ReadsEveryKey) {
  const SweepFile f = parse_sweep(
      "presets = ['llama-2-7b']\nvariants = ['relu', 'swiglu']\nsizes = ['64x128', '4096x11008']\n"
      "dtypes = ['f32', 'bf16']\nact_dtypes = ['f32']\naccumulate = ['f16', 'f32']\ntargets = "
      "['x86-avx2', 'x86-avx512']\n"
      "rows = [1, 16]\nthreads = [1, 2]\nbias = [true, false]\nresidual = [true]\n"
      "effort = 'quick'\nstrategy = 'random'\nseed = 7\nexport = 'w.json'\ntransfer = false\n",
      "s.toml");
  EXPECT_THAT(f.presets, ElementsAre("llama-2-7b"));
  EXPECT_THAT(f.variants, ElementsAre("relu", "swiglu"));
  EXPECT_THAT(f.sizes, ElementsAre(Shape{64, 128}, Shape{4096, 11008}));
  EXPECT_THAT(f.dtypes, ElementsAre(DType::f32, DType::bf16));
  EXPECT_THAT(f.act_dtypes, ElementsAre(DType::f32));
  EXPECT_THAT(f.accumulate, ElementsAre(DType::f16, DType::f32));
  EXPECT_THAT(f.targets, ElementsAre(Target::x86_avx2, Target::x86_avx512));
  EXPECT_THAT(f.rows, ElementsAre(1, 16));
  EXPECT_THAT(f.threads, ElementsAre(1, 2));
  EXPECT_THAT(f.bias, ElementsAre(true, false));
  EXPECT_THAT(f.residual, ElementsAre(true));
  EXPECT_EQ(f.trials, 32);
  EXPECT_FALSE(f.budget_s);
  EXPECT_EQ(f.strategy, "random");
  EXPECT_EQ(f.seed, 7u);
  EXPECT_EQ(f.export_file, "w.json");
  EXPECT_FALSE(f.transfer);
}

TEST(SweepFile, WhatIsLeftOutHasADefault) {
  const SweepFile f = parse_sweep(
      "presets = ['llama-2-7b']\ntargets = ['x86-avx2']\n"
      "budget = '10m'\n",
      "s.toml");
  EXPECT_EQ(f.budget_s, 600);
  EXPECT_FALSE(f.trials);
  EXPECT_EQ(f.dtypes.size(), 1u);
  EXPECT_THAT(f.act_dtypes, IsEmpty());
  EXPECT_THAT(f.accumulate, ElementsAre(DType::f32));
  EXPECT_THAT(f.bias, IsEmpty()) << "the preset's";
  EXPECT_THAT(f.rows, ElementsAre(1, 4, 16, 64, 256));
  EXPECT_EQ(f.threads.size(), 1u);
  EXPECT_TRUE(f.transfer);
}

TEST(SweepFile, SumsAreAListOrOneAsOfTheFlag) {
  EXPECT_THAT(parse_sweep(with("accumulate = 'f16'"), "s.toml").accumulate,
              ElementsAre(DType::f16));
  EXPECT_THAT(error_of(with("accumulate = ['f32', 'bf16']")),
              StartsWith("s.toml:5: accumulate[1]: 'bf16', wanted f32 or f16"));
  EXPECT_THAT(error_of(with("accumulate = 16")), StartsWith("s.toml:5: accumulate: 16, wanted"));
}

TEST(SweepFile, RepeatsInAListAreLeftOut) {
  const SweepFile f = parse_sweep(with("threads = [2, 1, 2]"), "s.toml");
  EXPECT_THAT(f.threads, ElementsAre(2, 1));
}

TEST(SweepFile, UnknownNamesHaveTheirLineAndTheNearest) {
  EXPECT_THAT(error_of(with("thread = [1]")),
              AllOf(StartsWith("s.toml:5: thread: unknown key 'thread'"),
                    HasSubstr("did you mean 'threads'?")));
  EXPECT_THAT(error_of(with("presets = ['llama-2-7bb']")),
              AllOf(StartsWith("s.toml:5: presets[0]: "), HasSubstr("'llama-2-7b'")));
  EXPECT_THAT(error_of(with("dtypes = ['f32', 'bf61']")), StartsWith("s.toml:5: dtypes[1]: "));
  EXPECT_THAT(error_of(with("strategy = 'clever'")),
              AllOf(StartsWith("s.toml:5: strategy: "), HasSubstr("clever")));
  EXPECT_THAT(error_of("presets = ['llama-2-7b']\neffort = 'quik'\n"),
              AllOf(StartsWith("s.toml:2: effort: "), HasSubstr("'quick'")));
}

TEST(SweepFile, WrongTypesAndValuesSayWhatWasWanted) {
  EXPECT_THAT(error_of(with("threads = []")),
              StartsWith("s.toml:5: threads: an empty list, wanted at least one value"));
  EXPECT_THAT(error_of(with("threads = 2")),
              StartsWith("s.toml:5: threads: 2, wanted a list in brackets"));
  EXPECT_THAT(error_of(with("threads = [1, 'two']")),
              StartsWith("s.toml:5: threads[1]: 'two', wanted a whole number from 1 to 1024"));
  EXPECT_THAT(error_of(with("threads = [0]")), StartsWith("s.toml:5: threads[0]: 0, wanted"));
  EXPECT_THAT(error_of(with("threads = [1.5]")), StartsWith("s.toml:5: threads[0]: 1.5, wanted"));
  EXPECT_THAT(error_of(with("bias = ['yes']")),
              StartsWith("s.toml:5: bias[0]: 'yes', wanted true or false"));
  EXPECT_THAT(error_of(with("dtypes = [[1]]")),
              StartsWith("s.toml:5: dtypes[0]: a list, wanted text in quotes"));
  EXPECT_THAT(error_of(with("rows = [4, 1]")), HasSubstr("ascending"));
  EXPECT_THAT(error_of(with("rows = [1, 2000000]")), StartsWith("s.toml:5: rows[1]: 2000000"));
  EXPECT_THAT(error_of(with("seed = -1")), StartsWith("s.toml:5: seed: -1, wanted"));
  EXPECT_THAT(error_of(with("export = 3")), StartsWith("s.toml:5: export: 3, wanted text"));
}

TEST(SweepFile, SizesThatAreNoSizes) {
  for (const char* size : {"4096", "4096x", "x11008", "4096x0", "-1x5", "anyx64", "64x64x64",
                           "4096 x 11008", "2000000x2000000", ""}) {
    EXPECT_THAT(error_of("variants = ['relu']\ntrials = 1\nsizes = ['64x64', '" +
                         std::string(size) + "']\n"),
                StartsWith("s.toml:3: sizes[1]: '" + std::string(size) +
                           "', wanted D_MODELxD_FF such as '4096x11008'"));
  }
}

TEST(SweepFile, EffortIsSaidOnce) {
  EXPECT_THAT(error_of("presets = ['llama-2-7b']"), HasSubstr("none of trials, effort and budget"));
  EXPECT_THAT(error_of(with("budget = '60s'")), HasSubstr("budget beside trials"));
  EXPECT_THAT(error_of("presets = ['llama-2-7b']\nbudget = '0s'"),
              StartsWith("s.toml:2: budget: time: '0s', wanted a time above 0"));
  EXPECT_THAT(error_of("presets = ['llama-2-7b']\nbudget = 60"),
              StartsWith("s.toml:2: budget: 60, wanted a time in quotes"));
  EXPECT_THAT(error_of("presets = ['llama-2-7b']\ntrials = 0"), StartsWith("s.toml:2: trials: 0"));
  EXPECT_THAT(error_of("presets = ['llama-2-7b']\ntrials = 'many'"),
              StartsWith("s.toml:2: trials: 'many', wanted a whole number"));
}

TEST(SweepFile, ABlockIsNeeded) {
  EXPECT_THAT(error_of("trials = 1"), HasSubstr("no block, wanted presets, or variants and sizes"));
  EXPECT_THAT(error_of("trials = 1\nvariants = ['relu']"), HasSubstr("sizes: missing"));
  EXPECT_THAT(error_of("trials = 1\nsizes = ['64x64']"), HasSubstr("variants: missing"));
}

TEST(SweepFile, WhatIsNoTomlHasLineAndColumn) {
  EXPECT_THAT(error_of("trials = 1\nsizes = [\"64x64\""), StartsWith("s.toml:2:"));
  EXPECT_THAT(error_of("trials = 1\nsizes = [\"64x64\""), HasSubstr("not TOML"));
  EXPECT_THAT(error_of("{\"trials\": 1}"), StartsWith("s.toml:1:1: not TOML"));
  EXPECT_THAT(error_of("trials = 1\ntrials = 2"), StartsWith("s.toml:2:"));
  EXPECT_THAT(error_of(std::string("trials = \"\xff\xfe\"")), HasSubstr("not TOML"));
  EXPECT_THAT(error_of("a = " + std::string(100000, '[')), HasSubstr("not TOML"));
  std::string deep = "seed = 1\n[a";
  for (int i = 0; i < 1000000; ++i) deep += ".a";
  EXPECT_THAT(error_of(deep + "]\n"), StartsWith("s.toml:2: a key of more than 64 parts"));
}

TEST(SweepFile, LongListsAreRefused) {
  std::string list = "threads = [";
  for (int i = 0; i < 10001; ++i) list += "1,";
  EXPECT_THAT(error_of(with(list + "1]")), HasSubstr("a list of 10002 values"));
}

TEST(SweepFile, FilesThatCannotBeReadAreNamed) {
  const ScratchFolder folder;
  EXPECT_THROW(load_sweep(folder / "none.toml"), Error);
  EXPECT_THROW(load_sweep(folder.path()), Error);
  std::ofstream(folder / "s.toml") << with("");
  EXPECT_EQ(load_sweep(folder / "s.toml").trials, 4);
}

}  // namespace
}  // namespace gatefold::test
