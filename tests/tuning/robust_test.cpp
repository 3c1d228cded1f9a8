// A tuner among candidates that do their worst, tuners that are killed, and several at once. With
// --full on the command line more of each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <clocale>
#include <fstream>
#include <locale>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include "gatefold/gatefold.h"
#include "schedules/space.h"
#include "spec/error.h"
#include "tests/support/process_tree.h"
#include "tests/tuning/fake_tuning.h"
#include "tuning/winners.h"

namespace gatefold::test {
namespace {

using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;

/// Nothing that was killed may need this long to be gone; the rule is two seconds, on a machine
/// that has nothing else to do.
constexpr double kSecondsToBeGone = 20;

class Robust : public testing::Test {
 protected:
  void SetUp() override {
    if (!gf_isa_usable("x86-avx2")) GTEST_SKIP() << "this CPU has no AVX2";
    take_in_orphans();
    ASSERT_TRUE(no_child_left(kSecondsToBeGone));
  }

  /// An emitter that never ends, and neither do its children, one of them in a session of its own.
  std::filesystem::path endless_emitter() {
    const auto script = folder_ / "emitter";
    std::ofstream(script) << "#!/bin/sh\ntouch " << began().string()
                          << "\nsetsid sleep 600 &\nsleep 600 &\nwhile :; do :; done\n";
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    return script;
  }
  std::filesystem::path began() { return folder_ / "began"; }

  /// A process that tunes; exit status 0, or 1 with the error in the file `error`.
  pid_t start_tuner(const TuneRequest& request) {
    const pid_t child = fork();
    if (child != 0) return child;
    int code = 0;
    try {
      tune(request);
    } catch (const std::exception& e) {
      std::ofstream(folder_ / "error", std::ios::app) << e.what() << "\n";
      code = 1;
    }
    _exit(code);
  }

  std::string errors() {
    std::ifstream file(folder_ / "error");
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::vector<TrialRecord> stored(const FfnSpec& ffn = fake_ffn()) {
    Store store(folder_ / "t.db", Store::Open::create);
    return store.trials(store.workload(fake_workload(ffn)));
  }

  std::set<std::string> stored_points() {
    std::set<std::string> points;
    for (const TrialRecord& t : stored()) points.insert(t.packing.text() + t.point.text());
    return points;
  }

  ScratchFolder folder_;
};

TEST_F(Robust, EveryBadCandidateIsRecordedWithItsKindAndNoneWins) {
  const std::vector<std::string> behaviours = {"CRASH",           "ILLEGAL",           "ABORT",
                                               "HANG_WITH_CHILD", "COMPILES_FOR_EVER", "TEN_GB",
                                               "NOT_A_NUMBER",    "WRONG_LAST_COLUMN", "OVERRUN",
                                               "NOTHING"};
  std::atomic<size_t> next{0};
  const auto emitter = endless_emitter();
  TuneRequest r = fake_tune_request(folder_, 3 + static_cast<int>(behaviours.size()), [&](Fake& f) {
    f.spend_us = is_default(f.kernel) ? 500 : 0;
    if (is_default(f.kernel)) return;
    const std::string behaviour = behaviours.at(next++ % behaviours.size());
    f.behaviour = {behaviour};
    if (behaviour != "COMPILES_FOR_EVER") return;
    LibraryOptions options;
    options.emitter = emitter;
    options.directory = folder_ / "never";
    options.compile_timeout_s = 0.5;
    build_library({"never", f.kernel.ffn, {{f.kernel, {}}}}, options);
  });
  r.check_seconds = 2;
  const TuneResult result = tune(r);
  EXPECT_EQ(result.ok, 3) << "the defaults of three packings";
  EXPECT_THAT(
      result.failed,
      UnorderedElementsAre(Pair("crash", 2), Pair("sigill", 1), Pair("run_timeout", 1),
                           Pair("compile_timeout", 1), Pair("oom", 1), Pair("wrong_result", 4)));
  EXPECT_EQ(result.race.cells.at(0).origin, "default");
  EXPECT_TRUE(no_child_left(kSecondsToBeGone)) << "something was left behind";
}

TEST_F(Robust, IfAllFailNothingWinsAndNothingIsLeft) {
  TuneRequest r = fake_tune_request(folder_, 1, [](Fake& f) { f.behaviour = {"HANG_WITH_CHILD"}; });
  r.check_seconds = r.setup_seconds = 1;
  EXPECT_THROW(tune(r), Error);
  EXPECT_EQ(stored().size(), 1u);
  EXPECT_TRUE(Store(folder_ / "t.db", Store::Open::existing).races().empty());
  EXPECT_TRUE(no_child_left(kSecondsToBeGone));
}

TEST_F(Robust, KilledWhileItCompilesItLeavesNothingRunning) {
  TuneRequest r = fake_tune_request(folder_, 4, {});
  r.builder.emitter = endless_emitter();
  r.builder.build = build_library;
  const pid_t tuner = start_tuner(r);
  while (!std::filesystem::exists(began())) std::this_thread::yield();
  kill(tuner, SIGKILL);
  EXPECT_TRUE(no_child_left(kSecondsToBeGone)) << "an emitter or what it started is alive";
}

TEST_F(Robust, KilledWhileItMeasuresItLeavesNothingRunning) {
  const std::filesystem::path hangs = folder_ / "hangs";
  const pid_t tuner = start_tuner(fake_tune_request(folder_, 6, [&](Fake& f) {
    if (is_default(f.kernel)) return;
    f.behaviour = {"HANG_WITH_CHILD"};
    f.log = hangs;
  }));
  while (!std::filesystem::exists(hangs)) std::this_thread::yield();
  kill(tuner, SIGKILL);
  EXPECT_TRUE(no_child_left(kSecondsToBeGone)) << "a worker or what it started is alive";
}

TEST_F(Robust, KilledAtAnyMomentItLosesNothingThatItSaidWasFinished) {
  const int kills = full_variant() ? 50 : 4, trials = full_variant() ? 60 : 12;
  auto* said =
      static_cast<std::atomic<int>*>(mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE,
                                          MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  TuneRequest r = fake_tune_request(folder_, trials, [](Fake& f) { f.spend_us = 300; });
  r.progress = [said](const TuneProgress& p) { *said = p.trials; };
  std::mt19937 random(5);
  std::uniform_int_distribution<int> moment(0, 900);
  size_t before = 0;
  for (int i = 0; i < kills; ++i) {
    const pid_t tuner = start_tuner(r);
    std::this_thread::sleep_for(std::chrono::milliseconds(moment(random)));
    kill(tuner, SIGKILL);
    ASSERT_TRUE(no_child_left(kSecondsToBeGone)) << "after kill " << i;
    const size_t now = stored().size();
    EXPECT_GE(now, static_cast<size_t>(said->load())) << "lost a stored trial, kill " << i;
    EXPECT_GE(now, before);
    before = now;
  }
  munmap(said, sizeof *said);
  r.progress = {};
  tune(r);
  const std::set<std::string> of_the_killed = stored_points();
  std::filesystem::remove(r.database);
  tune(r);
  EXPECT_EQ(stored_points(), of_the_killed) << "an undisturbed run proposes other points";
  EXPECT_EQ(of_the_killed.size(), static_cast<size_t>(trials));
}

/// Numbers are written with a decimal comma by everything that asks the locale.
class DecimalCommas {
 public:
  DecimalCommas() : before_(std::locale::global(std::locale(std::locale(), new Comma))) {
    std::setlocale(LC_ALL, "de_DE.UTF-8");  // where it is installed
  }
  ~DecimalCommas() {
    std::locale::global(before_);
    std::setlocale(LC_ALL, "C");
  }

 private:
  struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  std::locale before_;
};

TEST_F(Robust, DecimalCommasChangeNoFile) {
  const DecimalCommas commas;
  std::ostringstream shown;
  shown << 1234.5;
  ASSERT_EQ(shown.str(), "1.234,5") << "the locale is not in use";
  const TuneResult result = tune(fake_tune_request(folder_, 4, [](Fake& f) { f.spend_us = 1500; }));
  EXPECT_EQ(result.ok, 4);
  for (const TrialRecord& t : stored()) {
    EXPECT_GT(t.result.median_ms, 1.4);
    EXPECT_LT(t.result.median_ms, 1400);
  }
  const std::filesystem::path winners = folder_ / "winners.json";
  Store store(folder_ / "t.db", Store::Open::existing);
  std::ofstream(winners) << winners_json(winners_of(store));
  const auto read = load_winners(winners);
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].winners.at(0).cell.median_ms, result.race.cells.at(0).median_ms);
}

/// Begin and end of one call.
struct Call {
  long long begin, end;
  int process;
};

std::vector<Call> calls_in(const std::filesystem::path& log) {
  std::ifstream file(log);
  std::vector<Call> calls;
  for (Call c; file >> c.process >> c.begin >> c.end;) calls.push_back(c);
  std::sort(calls.begin(), calls.end(),
            [](const Call& a, const Call& b) { return a.begin < b.begin; });
  return calls;
}

TEST_F(Robust, SeveralOnOneFileLoseNothingAndNeverMeasureAtOnce) {
  const int trials = full_variant() ? 100 : 5;
  const std::string log = folder_ / "calls";
  std::vector<FfnSpec> blocks(4, fake_ffn());
  std::vector<pid_t> tuners;
  for (size_t i = 0; i < blocks.size(); ++i) {
    blocks[i].shape.d_ff += 8 * static_cast<int64_t>(i);
    TuneRequest r = fake_tune_request(folder_, trials, [&](Fake& f) {
      f.spend_us = 100;
      f.log = log;
    });
    r.ffn = blocks[i];
    tuners.push_back(start_tuner(r));
  }
  for (const pid_t tuner : tuners) {
    int status = 0;
    ASSERT_EQ(waitpid(tuner, &status, 0), tuner);
    EXPECT_EQ(status, 0) << errors();
  }
  for (const FfnSpec& ffn : blocks) {
    EXPECT_EQ(stored(ffn).size(), static_cast<size_t>(trials));
  }
  std::set<int> processes;
  const std::vector<Call> calls = calls_in(log);
  for (size_t i = 0; i < calls.size(); ++i) {
    processes.insert(calls[i].process);
    if (i == 0) continue;
    ASSERT_LE(calls[i - 1].end, calls[i].begin) << "two measured at once";
  }
  EXPECT_GE(processes.size(), 4u);
}

}  // namespace
}  // namespace gatefold::test
