#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <thread>

#include "spec/error.h"
#include "tests/tuning/fake_candidate.h"
#include "tuning/worker_client.h"

namespace gatefold::test {
namespace {

using testing::HasSubstr;

class Worker : public testing::Test {
 protected:
  std::string library(const std::string& name, std::vector<std::string> behaviour = {}) {
    return build_fake(fake(std::move(behaviour)), folder_ / (name + ".so")).string();
  }
  WorkerClient client(double candidate_timeout_s = 20) {
    return WorkerClient({.command = {worker_program()},
                         .setup_timeout_s = 0.5,
                         .candidate_timeout_s = candidate_timeout_s});
  }
  /// What becomes of one bad candidate between two good ones.
  TrialResult result_between_good_ones(const std::string& behaviour, double timeout_s = 20) {
    const std::string good = library("good");
    WorkerClient worker = client(timeout_s);
    const MeasureReply reply =
        worker.measure(fake_request({good, library("bad", {behaviour}), good}));
    EXPECT_EQ(reply.candidates.size(), 3u);
    EXPECT_EQ(reply.candidates.at(0).kind, TrialKind::ok) << reply.candidates[0].message;
    EXPECT_EQ(reply.candidates.at(2).kind, TrialKind::ok) << reply.candidates[2].message;
    return reply.candidates.at(1);
  }
  ScratchFolder folder_;
};

TEST_F(Worker, TimesAndChecksGoodCandidates) {
  WorkerClient worker = client();
  const MeasureReply reply = worker.measure(fake_request({library("a"), library("b")}));
  ASSERT_EQ(reply.candidates.size(), 2u);
  for (const TrialResult& r : reply.candidates) {
    EXPECT_EQ(r.kind, TrialKind::ok) << r.message;
    EXPECT_GE(r.samples.size(), 2u);
    EXPECT_GT(r.median_ms, 0);
    EXPECT_LT(r.error.rel_l2, 2e-6);
  }
  EXPECT_EQ(reply.candidates[0].ratio, 1);
  EXPECT_EQ(reply.copies, 1);
  EXPECT_FALSE(reply.cold);
}

TEST_F(Worker, RotatesColdWeights) {
  MeasureRequest request = fake_request({library("a")});
  request.cold = true;
  EXPECT_GE(client().measure(request).copies, 2);
}

TEST_F(Worker, SharesWeightsBetweenDifferentStreams) {
  Fake one = fake(), four = fake();
  one.kernel.point.streams = 1;
  four.kernel.point.streams = 4;
  const auto a = build_fake(one, folder_ / "one.so"), b = build_fake(four, folder_ / "four.so");
  WorkerClient worker = client();
  const MeasureReply reply = worker.measure(fake_request({a, b, library("two")}, 5));
  ASSERT_EQ(reply.candidates.size(), 3u);
  for (const TrialResult& r : reply.candidates) EXPECT_EQ(r.kind, TrialKind::ok) << r.message;
}

TEST_F(Worker, ServesRequestAfterRequest) {
  WorkerClient worker = client();
  const std::string good = library("a");
  for (int64_t rows : {1, 2, 7, 1}) {
    const MeasureReply reply = worker.measure(fake_request({good}, rows));
    ASSERT_EQ(reply.candidates.size(), 1u);
    EXPECT_EQ(reply.candidates[0].kind, TrialKind::ok) << reply.candidates[0].message;
  }
}

TEST_F(Worker, CrashIsOneCandidates) {
  const TrialResult r = result_between_good_ones("CRASH");
  EXPECT_EQ(r.kind, TrialKind::crash);
  EXPECT_THAT(r.message, HasSubstr("Segmentation fault"));
}

TEST_F(Worker, CrashWhileTimedIsOneCandidates) {
  EXPECT_EQ(result_between_good_ones("CRASH_LATE").kind, TrialKind::crash);
}

TEST_F(Worker, AbortIsACrash) {
  EXPECT_EQ(result_between_good_ones("ABORT").kind, TrialKind::crash);
}

TEST_F(Worker, ExitIsACrash) {
  EXPECT_EQ(result_between_good_ones("LEAVE").kind, TrialKind::crash);
}

TEST_F(Worker, IllegalInstruction) {
  EXPECT_EQ(result_between_good_ones("ILLEGAL").kind, TrialKind::sigill);
}

TEST_F(Worker, KilledFromOutsideIsOutOfMemory) {
  EXPECT_EQ(result_between_good_ones("KILLED").kind, TrialKind::oom);
}

TEST_F(Worker, RefusedAllocationIsOutOfMemory) {
  EXPECT_EQ(result_between_good_ones("HUGE").kind, TrialKind::oom);
}

TEST_F(Worker, TenGigabytesAreMoreThanThereIs) {
  EXPECT_EQ(result_between_good_ones("TEN_GB").kind, TrialKind::oom);
}

TEST_F(Worker, HangEndsAtItsTime) {
  EXPECT_EQ(result_between_good_ones("HANG", 3).kind, TrialKind::run_timeout);
}

TEST_F(Worker, WrongLastColumn) {
  const TrialResult r = result_between_good_ones("WRONG_LAST_COLUMN");
  EXPECT_EQ(r.kind, TrialKind::wrong_result);
  EXPECT_THAT(r.message, HasSubstr("column 39"));
}

TEST_F(Worker, OutputThatWasNotWritten) {
  const TrialResult r = result_between_good_ones("NOTHING");
  EXPECT_EQ(r.kind, TrialKind::wrong_result);
  EXPECT_THAT(r.message, HasSubstr("row 0 column 0 was not written"));
}

TEST_F(Worker, WorkSkippedWhileTimed) {
  EXPECT_EQ(result_between_good_ones("LAZY").kind, TrialKind::wrong_result);
}

TEST_F(Worker, NotANumber) {
  EXPECT_EQ(result_between_good_ones("NOT_A_NUMBER").kind, TrialKind::wrong_result);
}

TEST_F(Worker, WritePastTheEnd) {
  const TrialResult r = result_between_good_ones("OVERRUN");
  EXPECT_EQ(r.kind, TrialKind::wrong_result);
  EXPECT_THAT(r.message, HasSubstr("past the end"));
}

TEST_F(Worker, ResultThatChangesFromRunToRun) {
  const TrialResult r = result_between_good_ones("DRIFTING");
  EXPECT_EQ(r.kind, TrialKind::wrong_result);
  EXPECT_THAT(r.message, HasSubstr("differ"));
}

TEST_F(Worker, SpoiledInput) {
  EXPECT_EQ(result_between_good_ones("SPOIL_INPUT").kind, TrialKind::wrong_result);
}

TEST_F(Worker, WhatACandidatePrintsIsNoReply) {
  EXPECT_EQ(result_between_good_ones("PRINT").kind, TrialKind::ok);
}

TEST_F(Worker, NotALibrary) {
  WorkerClient worker = client();
  const MeasureReply reply = worker.measure(fake_request({folder_ / "missing.so"}));
  ASSERT_EQ(reply.candidates.size(), 1u);
  EXPECT_EQ(reply.candidates[0].kind, TrialKind::invalid);
  EXPECT_THAT(reply.candidates[0].message, HasSubstr("missing.so"));
}

TEST_F(Worker, LibraryOfAnotherBlock) {
  MeasureRequest request = fake_request({library("a")});
  request.ffn.shape.d_ff = 64;
  const TrialResult r = client().measure(request).candidates.at(0);
  EXPECT_EQ(r.kind, TrialKind::invalid);
  EXPECT_THAT(r.message, HasSubstr("40x56"));
}

/// A command that greets as the worker does, names a candidate, then does as told.
std::vector<std::string> named_then(const std::string& then) {
  return {"/bin/sh", "-c",
          "read line; echo \"$line\" | " + worker_program() +
              "; read line; echo '{\"event\":\"candidate\",\"index\":0}'; " + then};
}

TEST_F(Worker, NonsenseOnItsOutputIsACrash) {
  WorkerClient worker({.command = named_then("echo nonsense; sleep 60")});
  const MeasureReply reply = worker.measure(fake_request({"a.so"}));
  ASSERT_EQ(reply.candidates.size(), 1u);
  EXPECT_EQ(reply.candidates[0].kind, TrialKind::crash);
}

TEST_F(Worker, DyingInTheMiddleOfALineIsACrash) {
  WorkerClient worker({.command = named_then("printf '{\"reply\":\"mea'; exit 1")});
  const MeasureReply reply = worker.measure(fake_request({"a.so"}));
  ASSERT_EQ(reply.candidates.size(), 1u);
  EXPECT_EQ(reply.candidates[0].kind, TrialKind::crash);
  EXPECT_THAT(reply.candidates[0].message, HasSubstr("status 1"));
}

TEST_F(Worker, WhatItCannotServeIsNobodysFault) {
  WorkerClient worker(
      {.command = named_then("echo '{\"reply\":\"error\",\"message\":\"out of memory\"}'")});
  try {
    worker.measure(fake_request({"a.so", "b.so"}));
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("out of memory"));
  }
}

TEST_F(Worker, LineWithoutEndTimesOut) {
  WorkerClient worker({.command = named_then("printf '{\"event\"'; sleep 60"),
                       .setup_timeout_s = 0.3,
                       .candidate_timeout_s = 0.2});
  EXPECT_EQ(worker.measure(fake_request({"a.so"})).candidates.at(0).kind, TrialKind::run_timeout);
}

TEST_F(Worker, CannotBeStarted) {
  WorkerClient worker({.command = {(folder_ / "no-such-worker").string()}});
  try {
    worker.measure(fake_request({"a.so"}));
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("no-such-worker"));
  }
}

TEST_F(Worker, StopEndsAHangingRequest) {
  std::atomic<bool> stop{false};
  WorkerClient worker({.command = {worker_program()}, .stop = &stop});
  const std::string hanging = library("hang", {"HANG"});
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    stop = true;
  });
  const MeasureReply reply = worker.measure(fake_request({hanging}));
  later.join();
  EXPECT_TRUE(reply.candidates.empty());
}

}  // namespace
}  // namespace gatefold::test
