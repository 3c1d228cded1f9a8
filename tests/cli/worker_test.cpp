// `tune --worker` and `tune --selftest` through the program, and gatefold-worker by itself.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <sstream>

#include "gatefold/gatefold.h"
#include "tests/cli/gatefold_process.h"
#include "tests/formats/files.h"
#include "tests/support/paths.h"
#include "tests/support/private_sshd.h"
#include "tests/support/process_tree.h"
#include "tuning/host.h"

namespace gatefold::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Arguments = std::vector<std::string>;

/// Standard output of a command; the test fails unless it ends with `status`.
std::string output_of(const std::string& command, int status = 0) {
  FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  char chunk[4096];
  for (size_t got; (got = fread(chunk, 1, sizeof chunk, pipe)) > 0;) text.append(chunk, got);
  const int ended = pclose(pipe);
  EXPECT_TRUE(WIFEXITED(ended) && WEXITSTATUS(ended) == status) << command << "\n" << text;
  return text;
}

std::string worker() { return binary_dir() + "/gatefold-worker"; }

TEST(WorkerProgram, SaysWhatItIs) {
  EXPECT_THAT(output_of(worker() + " --help"), AllOf(HasSubstr("--worker"), HasSubstr("--lock")));
  EXPECT_THAT(output_of(worker() + " --version"),
              StartsWith("gatefold-worker " + std::string(gf_version()) + ", protocol "));
  EXPECT_THAT(output_of(worker() + " --loud 2>&1", 2), HasSubstr("unknown argument '--loud'"));
  EXPECT_THAT(output_of(worker() + " --lock 2>&1", 2), HasSubstr("--lock: missing"));
}

TEST(WorkerProgram, AnswersNonsenseWithAnErrorAndGoesOn) {
  const std::string said =
      output_of("printf 'x\\n{}\\n{\"kind\":\"hello\",\"protocol\":3}\\n' | " + worker());
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 3) << said;
  EXPECT_THAT(said, AllOf(StartsWith("{\"message\":"), HasSubstr("\"protocol\":3")));
}

/// A machine that is only measured has no packages of ours.
TEST(WorkerProgram, NeedsTheCLibraryOnly) {
  const std::string needed = output_of("ldd " + worker());
  if (needed.find("libasan") != std::string::npos) GTEST_SKIP() << "built with sanitizers";
  std::istringstream lines(needed);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_THAT(line, testing::AnyOf(HasSubstr("linux-vdso"), HasSubstr("libc.so"),
                                     HasSubstr("libm.so"), HasSubstr("ld-linux")));
  }
}

class TuneElsewhere : public testing::Test {
 protected:
  void SetUp() override {
    if (!gf_isa_usable("x86-avx2")) GTEST_SKIP() << "this CPU does not run x86-avx2";
  }
  std::string words() { return worker() + " --lock " + (folder_ / "lock").string(); }
  Arguments tune(const std::string& command, const Arguments& more) {
    Arguments all = {"tune",     "--variant", "relu",     "--d-model", "64",
                     "--d-ff",   "64",        "--dtype",  "f32",       "--rows",
                     "2",        "--target",  "x86-avx2", "--db",      folder_ / "t.db",
                     "--worker", command};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  std::string refused(const std::string& command, int code = 1) {
    const Outcome outcome = gatefold(tune(command, {"--trials", "2"}));
    EXPECT_EQ(outcome.exit_code, code) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "t.db"));
    return outcome.err;
  }
  void expect_tuned(const std::string& command) {
    const Outcome outcome = gatefold(tune(command, {"--trials", "3", "--threads", "1", "--json"}));
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_GT(outcome.json()["cells"].at(0)["median_ms"], 0);
    EXPECT_EQ(outcome.json()["failed"].size(), 0u) << outcome.out;
    SQLite::Database database(folder_ / "t.db");
    EXPECT_EQ(database.execAndGet("SELECT cpu FROM workload").getString(), host_cpu_name());
  }
  TempFolder folder_;
};

TEST_F(TuneElsewhere, ThroughAWrapper) { expect_tuned("sh -c 'exec " + words() + "'"); }

TEST_F(TuneElsewhere, OverSsh) {
  const std::string missing = PrivateSshd::missing();
  if (!missing.empty()) GTEST_SKIP() << "no SSH server can be started: " << missing;
  const PrivateSshd server;
  expect_tuned(server.command(words()));
  EXPECT_EQ(processes_left_with((folder_ / "lock").string(), 20), 0);
}

TEST_F(TuneElsewhere, ACommandThatIsNoWorkerIsNamed) {
  EXPECT_THAT(refused("no-such-worker"),
              AllOf(HasSubstr("'no-such-worker'"), HasSubstr("not found")));
  EXPECT_THAT(refused("echo Last login: yesterday; cat"),
              HasSubstr("wrote 'Last login: yesterday', wanted the greeting of gatefold-worker"));
  EXPECT_THAT(refused("printf '{\"reply\"'; exit 9"), HasSubstr("status 9"));
  EXPECT_THAT(refused("cat"), HasSubstr("wrote '{\"kind\":\"hello\""));
  EXPECT_THAT(refused(" ", 2), HasSubstr("--worker: ' '"));
}

TEST_F(TuneElsewhere, AProgramToBeSentIsLookedAtFirst) {
  Arguments missing = tune("sh -c", {"--trials", "2", "--worker-program", folder_ / "none"});
  Outcome outcome = gatefold(missing);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("none"));
  outcome = gatefold({"tune", "--preset", "gpt2", "--db", folder_ / "t.db", "--trials", "2",
                      "--worker-program", worker()});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--worker-program: only with --worker"));
}

/// None of these is sent: the command would say so.
TEST_F(TuneElsewhere, AProgramToBeSentIsOneOfTheTargetsArchitecture) {
  const auto refused_program = [&](const std::string& program, const std::string& target) {
    Arguments arguments = tune("touch " + (folder_ / "sent").string() + "; sh -c",
                               {"--trials", "2", "--worker-program", program});
    std::replace(arguments.begin(), arguments.end(), std::string("x86-avx2"), target);
    const Outcome outcome = gatefold(arguments);
    EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
    EXPECT_THAT(outcome.err, StartsWith("gatefold: error: --worker-program: " + program + ": "));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "sent"));
    return outcome.err;
  };
  const std::string whole = content(worker());
  EXPECT_THAT(refused_program(worker(), "arm64-neon"), HasSubstr("made for x86_64, wanted arm64"));
  for (const char* target : {"x86-avx2", "host"}) {
    EXPECT_THAT(refused_program(folder_.file("script", "#!/bin/sh\nexec cat\n"), target),
                HasSubstr("ELF file"));
    EXPECT_THAT(refused_program(folder_.file("cut", whole.substr(0, whole.size() / 2)), target),
                HasSubstr("truncated"));
    EXPECT_THAT(refused_program(folder_.path(), target), HasSubstr("not a regular file"));
  }
}

TEST(SelfTest, RacesTheDefaultAgainstItself) {
  if (!gf_isa_usable("x86-avx2")) GTEST_SKIP() << "this CPU does not run x86-avx2";
  const Outcome outcome =
      gatefold({"tune", "--selftest", "--variant", "relu", "--d-model", "64", "--d-ff", "64",
                "--dtype", "f32", "--target", "x86-avx2", "--threads", "1", "--json"});
  const auto json = outcome.json();
  ASSERT_TRUE(json["ratio"].is_number()) << outcome.err;
  EXPECT_GT(json["ratio"], 0.5);
  EXPECT_LT(json["ratio"], 2);
  EXPECT_LE(json["ratio_low"], json["ratio"]);
  EXPECT_GE(json["ratio_high"], json["ratio"]);
  EXPECT_GE(json["rounds"], 5);
  EXPECT_EQ(outcome.exit_code, json["claimed"].get<bool>() ? 1 : 0);
}

TEST(SelfTest, WantsOneRowCount) {
  const Outcome outcome = gatefold({"tune", "--selftest", "--rows", "1,4"});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("--rows: 2 row counts, wanted one for --selftest"));
}

}  // namespace
}  // namespace gatefold::test
