// A worker that is reached by a command and sees none of the tuner's files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <iterator>
#include <thread>

#include "gatefold/gatefold.h"
#include "spec/byte_hash.h"
#include "spec/error.h"
#include "tests/support/private_sshd.h"
#include "tests/support/process_tree.h"
#include "tests/tuning/fake_tuning.h"
#include "tuning/emulator.h"
#include "tuning/host.h"
#include "tuning/worker_client.h"
#include "tuning/worker_shipping.h"

namespace gatefold::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Elsewhere : public testing::Test {
 protected:
  std::string library(const std::string& name, std::vector<std::string> behaviour = {}) {
    return build_fake(fake(std::move(behaviour)), folder_ / (name + ".so")).string();
  }
  /// The worker's own lock: that of the machine may be held by a real run.
  std::string worker_words() {
    return worker_program() + " --lock " + (folder_ / "lock-there").string();
  }
  WorkerOptions options(const std::string& command) {
    WorkerOptions options;
    options.command = {"/bin/sh", "-c", command};
    options.shown = command;
    options.elsewhere = true;
    options.setup_timeout_s = 20;
    return options;
  }
  std::string error_of(const std::string& command, double greeting_s = 20) {
    WorkerOptions wanted = options(command);
    wanted.greeting_timeout_s = greeting_s;
    try {
      WorkerClient(wanted).machine();
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::failed);
      return e.what();
    }
    return "no error";
  }
  MeasureRequest request(std::vector<std::string> libraries) {
    MeasureRequest request = fake_request(std::move(libraries));
    request.lock = true;
    return request;
  }
  std::string content(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  ScratchFolder folder_;
};

TEST_F(Elsewhere, SaysWhatMachineItIs) {
  const WorkerMachine machine = WorkerClient(options("exec " + worker_words())).machine();
  EXPECT_EQ(machine.cpu, host_cpu_name());
  EXPECT_EQ(machine.threads, gf_default_threads());
  EXPECT_EQ(machine.targets.back(), host_target());
  EXPECT_EQ(machine.dtype, host_dtype());
  EXPECT_EQ(machine.profile.l2, host_cpu_profile().l2);
  EXPECT_EQ(machine.emulator, this_emulator());
}

TEST_F(Elsewhere, LibrariesAreSentOnceAndNoPathIs) {
  const std::string log = folder_ / "asked";
  WorkerClient worker(options("tee " + log + " | " + worker_words()));
  const std::string a = library("a"), b = library("b", {"WRONG_LAST_COLUMN"});
  for (int i = 0; i < 2; ++i) {
    const MeasureReply reply = worker.measure(request({a, b}));
    ASSERT_EQ(reply.candidates.size(), 2u);
    EXPECT_EQ(reply.candidates[0].kind, TrialKind::ok) << reply.candidates[0].message;
    EXPECT_EQ(reply.candidates[1].kind, TrialKind::wrong_result);
  }
  const std::string asked = content(log);
  size_t sent = 0;
  for (size_t at = 0; (at = asked.find("\"kind\":\"library\"", at)) != std::string::npos; ++at)
    ++sent;
  EXPECT_EQ(sent, 2u);
  EXPECT_THAT(asked, Not(HasSubstr(folder_.path().string())));
}

TEST_F(Elsewhere, ACrashIsOneCandidatesAndTheOthersAreSentAgain) {
  const std::string good = library("good");
  WorkerClient worker(options("true && " + worker_words()));  // a shell stays between
  for (const auto& [behaviour, kind] : {std::pair("CRASH", TrialKind::crash),
                                        {"ILLEGAL", TrialKind::sigill},
                                        {"KILLED", TrialKind::oom},
                                        {"LEAVE", TrialKind::crash}}) {
    const MeasureReply reply =
        worker.measure(request({good, library(behaviour, {behaviour}), good}));
    ASSERT_EQ(reply.candidates.size(), 3u);
    EXPECT_EQ(reply.candidates[0].kind, TrialKind::ok) << reply.candidates[0].message;
    EXPECT_EQ(reply.candidates[1].kind, kind) << behaviour << reply.candidates[1].message;
    EXPECT_EQ(reply.candidates[2].kind, TrialKind::ok);
  }
}

TEST_F(Elsewhere, ItsMachinesLockIsTakenAndWaitedFor) {
  LockOptions there;
  there.path = folder_ / "lock-there";
  auto held = std::make_unique<MeasureLock>(there);
  std::atomic<bool> waited{false};
  WorkerOptions wanted = options(worker_words());
  wanted.waiting = [&](const std::string& message) {
    EXPECT_THAT(message, HasSubstr("waiting"));
    waited = true;
  };
  std::thread later([&] {
    while (!waited) std::this_thread::yield();
    held.reset();
  });
  const MeasureReply reply = WorkerClient(wanted).measure(request({library("a")}));
  later.join();
  EXPECT_EQ(reply.candidates.at(0).kind, TrialKind::ok) << reply.candidates[0].message;
}

TEST_F(Elsewhere, TheRoofIsMeasuredThere) {
  WorkerClient worker(options(worker_words()));
  const std::optional<Roof> roof = worker.roof({host_target(), 1, true});
  ASSERT_TRUE(roof);
  EXPECT_GT(roof->f32_gflops, 0);
  EXPECT_GT(roof->read_gbps, 0);
  EXPECT_EQ(roof->threads, 1);
  EXPECT_EQ(roof->target, host_target());
}

TEST_F(Elsewhere, TuningIsKeyedByItsCpu) {
  if (!gf_isa_usable("x86-avx2")) GTEST_SKIP() << "this CPU has no AVX2";
  TuneRequest r = fake_tune_request(folder_, 4, [](Fake& f) { f.spend_us = 300; });
  r.worker = {"/bin/sh", "-c", worker_words()};
  WorkerMachine machine = WorkerClient(options(worker_words())).machine();
  r.elsewhere = machine;
  EXPECT_EQ(tune(r).ok, 4);
  WorkloadKey key = fake_workload();
  key.cpu = machine.cpu;
  Store store(r.database, Store::Open::existing);
  EXPECT_EQ(store.trials(store.workload(key)).size(), 4u);
}

TEST_F(Elsewhere, ATargetThatItDoesNotRunIsNotAvailable) {
  TuneRequest r = fake_tune_request(folder_, 4, [](Fake&) {});
  r.target = Target::x86_avx512;
  r.elsewhere = this_machine();
  r.elsewhere->targets = {Target::x86_avx2};
  r.elsewhere->cpu = "an old one";
  try {
    tune(r);
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::unavailable);
    EXPECT_THAT(e.what(), AllOf(HasSubstr("an old one"), HasSubstr("x86-avx512")));
  }
}

TEST_F(Elsewhere, ACommandThatCannotStartIsNamedWithWhatItSaid) {
  EXPECT_THAT(error_of("no-such-worker --x"), AllOf(HasSubstr("worker 'no-such-worker --x'"),
                                                    HasSubstr("127"), HasSubstr("not found")));
}

TEST_F(Elsewhere, ACommandThatTalksNonsenseIsNamedWithWhatItSaid) {
  EXPECT_THAT(error_of("echo Welcome to the machine; sleep 600"),
              AllOf(HasSubstr("wrote 'Welcome to the machine'"), HasSubstr("gatefold-worker")));
  EXPECT_THAT(error_of("echo '{\"reply\":\"hello\",\"protocol\":3,\"version\":\"1\",\"machine\":{"
                       "\"cpu\":\"x\",\"threads\":-1}}'; sleep 600"),
              HasSubstr("wrote '{"));
}

TEST_F(Elsewhere, ACommandThatWritesEmptyLinesForEverIsGivenUp) {
  EXPECT_THAT(error_of("yes ''"), HasSubstr("wrote ''"));
}

TEST_F(Elsewhere, ACommandThatSaysNothingIsGivenUp) {
  EXPECT_THAT(error_of("echo no network >&2; sleep 600", 0.5),
              AllOf(HasSubstr("did not answer in time"), HasSubstr("no network")));
}

TEST_F(Elsewhere, ACommandThatDiesInTheMiddleOfItsGreetingIsNamed) {
  EXPECT_THAT(error_of("printf '{\"reply\":\"hel'; echo gone >&2; exit 7"),
              AllOf(HasSubstr("status 7"), HasSubstr("gone")));
}

TEST_F(Elsewhere, AnotherProtocolIsRefused) {
  EXPECT_THAT(
      error_of("read line; echo '{\"reply\":\"hello\",\"protocol\":99,\"version\":\"7.1\"}';"
               "sleep 600"),
      AllOf(HasSubstr("protocol 99"), HasSubstr("7.1"), HasSubstr("wanted 3")));
  EXPECT_THAT(error_of("read line; echo '{\"reply\":\"error\",\"message\":\"kind hello?\"}'; sleep "
                       "600"),
              HasSubstr("kind hello?"));
}

/// A command that greets as the worker does, then does as told.
std::string after_greeting(const std::string& worker, const std::string& then) {
  return "read line; echo \"$line\" | " + worker + "; " + then;
}

TEST_F(Elsewhere, ALostConnectionIsMadeOnceMore) {
  const std::string mark = folder_ / "mark";
  const std::string command = "if [ -e " + mark + " ]; then exec " + worker_words() +
                              "; fi; touch " + mark + "; " +
                              after_greeting(worker_words(), "exit 255");
  const MeasureReply reply = WorkerClient(options(command)).measure(request({library("a")}));
  ASSERT_EQ(reply.candidates.size(), 1u);
  EXPECT_EQ(reply.candidates[0].kind, TrialKind::ok) << reply.candidates[0].message;
}

TEST_F(Elsewhere, AConnectionThatIsLostAgainAndAgainIsAnErrorAndNoTrial) {
  if (!gf_isa_usable("x86-avx2")) GTEST_SKIP() << "this CPU has no AVX2";
  TuneRequest r = fake_tune_request(folder_, 4, [](Fake&) {});
  r.elsewhere = this_machine();
  r.worker = {"/bin/sh", "-c",
              after_greeting(worker_words(), "echo connection reset >&2; exit 255")};
  r.worker_shown = "ssh somewhere";
  try {
    tune(r);
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(),
                AllOf(HasSubstr("worker 'ssh somewhere'"), HasSubstr("connection reset")));
  }
  WorkloadKey key = fake_workload();
  key.cpu = r.elsewhere->cpu;
  Store store(r.database, Store::Open::existing);
  EXPECT_TRUE(store.trials(store.workload(key)).empty());
}

TEST_F(Elsewhere, AnotherMachineBehindTheSameCommandIsRefused) {
  const std::string mark = folder_ / "mark";
  const std::string hello =
      "{\\\"reply\\\":\\\"hello\\\",\\\"protocol\\\":3,\\\"version\\\":\\\"1\\\",\\\"machine\\\":{"
      "\\\"cpu\\\":\\\"another one\\\",\\\"l1d\\\":1,\\\"l2\\\":1,\\\"l3\\\":1,\\\"targets\\\":["
      "\\\"x86-avx2\\\"],\\\"dtype\\\":\\\"f32\\\",\\\"threads\\\":1,"
      "\\\"emulated\\\":false,\\\"emulator\\\":\\\"\\\"}}";
  const std::string command = "if [ -e " + mark + " ]; then read line; echo \"" + hello +
                              "\"; sleep 600; fi; touch " + mark + "; " +
                              after_greeting(worker_words(), "exit 255");
  WorkerClient worker(options(command));
  try {
    worker.measure(request({library("a")}));
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("another one"), HasSubstr(host_cpu_name())));
  }
}

/// A worker, or what shall be taken for one, is sent to the command that runs it.
class Shipped : public Elsewhere {
 protected:
  WorkerOptions shipped(const std::string& program, const std::string& command) {
    WorkerOptions shipped = options(shipping_command(command, program.size()));
    shipped.shown = command;
    shipped.program = std::make_shared<const std::string>(program);
    return shipped;
  }
  /// Whose shell has a temporary folder of its own.
  std::string there() {
    std::filesystem::create_directories(folder_ / "there");
    return "TMPDIR='" + (folder_ / "there").string() + "' sh -c";
  }
  std::string refused(const std::string& program, const std::string& command) {
    try {
      WorkerClient(shipped(program, command)).machine();
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  }
  bool nothing_left() { return std::filesystem::is_empty(folder_ / "there"); }
};

TEST_F(Shipped, AWorkerMeasuresAndIsRemoved) {
  {
    WorkerClient worker(shipped(content(worker_program()), there()));
    MeasureRequest wanted = request({library("a")});
    wanted.lock = false;  // the machine's may be held by a real run
    const MeasureReply reply = worker.measure(wanted);
    EXPECT_EQ(reply.candidates.at(0).kind, TrialKind::ok) << reply.candidates[0].message;
    EXPECT_FALSE(nothing_left());
  }
  EXPECT_TRUE(nothing_left());
}

TEST_F(Shipped, WhatEndsAtOnceIsNamed) {
  EXPECT_THAT(refused("echo no such CPU >&2; exit 7", there()),
              AllOf(HasSubstr("status 7"), HasSubstr("no such CPU")));
  EXPECT_TRUE(nothing_left());
}

TEST_F(Shipped, ACommandThatRunsNothingIsNamed) {
  EXPECT_THAT(refused("x", "echo welcome; sleep 600; echo"),
              AllOf(HasSubstr("wrote 'welcome'"), HasSubstr("that the program has arrived")));
  EXPECT_THAT(refused("x", "false"), HasSubstr("status 1"));
}

class OverSsh : public Elsewhere {
 protected:
  void SetUp() override {
    const std::string missing = PrivateSshd::missing();
    if (!missing.empty()) GTEST_SKIP() << "no SSH server can be started: " << missing;
    server_ = std::make_unique<PrivateSshd>();
  }
  std::unique_ptr<PrivateSshd> server_;
};

TEST_F(OverSsh, MeasuresAndSurvivesACrash) {
  WorkerClient worker(options(server_->command(worker_words())));
  const std::string good = library("good");
  const MeasureReply reply = worker.measure(request({good, library("bad", {"ILLEGAL"}), good}));
  ASSERT_EQ(reply.candidates.size(), 3u);
  EXPECT_EQ(reply.candidates[0].kind, TrialKind::ok) << reply.candidates[0].message;
  EXPECT_EQ(reply.candidates[1].kind, TrialKind::sigill) << reply.candidates[1].message;
  EXPECT_EQ(reply.candidates[2].kind, TrialKind::ok);
  EXPECT_EQ(worker.machine().cpu, host_cpu_name());
}

TEST_F(OverSsh, AWorkerIsSentThere) {
  const std::string program = content(worker_program());
  WorkerOptions wanted = options(shipping_command(server_->command(""), program.size()));
  wanted.program = std::make_shared<const std::string>(program);
  EXPECT_EQ(WorkerClient(wanted).machine().cpu, host_cpu_name());
}

TEST_F(OverSsh, ARefusedKeyIsNamedWithWhatSshSays) {
  std::string command = server_->command(worker_words());
  const size_t key = command.find("-i '");
  command.erase(key, command.find("' ", key) + 2 - key);
  EXPECT_THAT(error_of(command), AllOf(HasSubstr("status 255"), HasSubstr("denied")));
}

TEST_F(OverSsh, WhatHangsThereEndsWithTheConnection) {
  std::atomic<bool> stop{false};
  WorkerOptions wanted = options(server_->command(worker_words()));
  wanted.stop = &stop;
  const std::string hanging = library("hang", {"HANG_WITH_CHILD"});
  {
    WorkerClient worker(wanted);
    std::thread later([&] {
      std::this_thread::sleep_for(std::chrono::seconds(2));
      stop = true;
    });
    EXPECT_TRUE(worker.measure(request({hanging})).candidates.empty());
    later.join();
  }
  EXPECT_EQ(processes_left_with((folder_ / "lock-there").string(), 20), 0);
}

}  // namespace
}  // namespace gatefold::test
