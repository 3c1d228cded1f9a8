// Samples that others spoilt, and candidates that need not be timed to the end.
#include "tuning/noise.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>

#include "tests/tuning/fake_candidate.h"
#include "tuning/worker_client.h"

namespace gatefold::test {
namespace {

int first_cpu() {
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  int cpu = 0;
  while (cpu < CPU_SETSIZE && !CPU_ISSET(cpu, &set)) ++cpu;
  return cpu;
}

void pin(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  sched_setaffinity(0, sizeof set, &set);
}

/// A process that computes all the time on one CPU.
class Neighbour {
 public:
  explicit Neighbour(int cpu) : pid_(fork()) {
    if (pid_ != 0) return;
    pin(cpu);
    while (getpid() > 0) continue;
  }
  ~Neighbour() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }

 private:
  pid_t pid_;
};

TEST(Noise, AFewSwitchesInALongStretchAreHarmless) {
  EXPECT_FALSE(too_many_switches(0, 1));
  EXPECT_TRUE(too_many_switches(1, 1));
  EXPECT_FALSE(too_many_switches(4, 100));
  EXPECT_TRUE(too_many_switches(5, 100));
}

bool noticed_beside_a_neighbour() {
  using Clock = std::chrono::steady_clock;
  const int cpu = first_cpu();
  const Neighbour neighbour(cpu);
  pin(cpu);
  const NoiseGuard guard;
  const auto start = Clock::now();
  while (Clock::now() - start < std::chrono::milliseconds(500)) continue;
  return guard.disturbed(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
}

TEST(Noise, AnotherProcessOnTheSameCoreIsNoticed) {
  const pid_t child = fork();  // since it is pinned
  if (child == 0) _exit(noticed_beside_a_neighbour() ? 7 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST(Noise, DisturbedSamplesAreRepeatedAndThenCounted) {
  const ScratchFolder folder;
  const int cpu = first_cpu();
  const std::string library = build_fake(fake({}, 30000), folder / "slow.so").string();
  const Neighbour neighbour(cpu);
  WorkerClient worker({.command = {"taskset", "-c", std::to_string(cpu), worker_program()}});
  MeasureRequest request = fake_request({library});
  request.budget_ms = 5000;  // or there is no time to take them again
  const TrialResult r = worker.measure(request).candidates.at(0);
  EXPECT_EQ(r.kind, TrialKind::ok) << r.message;
  EXPECT_EQ(r.samples.size(), 2u);
  EXPECT_GE(r.disturbed, 1);
}

TEST(Screening, WhatIsFarBehindIsTimedInTwoRoundsOnly) {
  const ScratchFolder folder;
  const std::string fast = build_fake(fake({}, 300), folder / "fast.so").string();
  const std::string slow = build_fake(fake({}, 6000), folder / "slow.so").string();
  WorkerClient worker({.command = {worker_program()}});
  MeasureRequest request = fake_request({fast, slow});
  request.min_rounds = request.max_rounds = 5;
  request.drop_ratio = 1.25;
  const MeasureReply reply = worker.measure(request);
  ASSERT_EQ(reply.candidates.size(), 2u);
  const std::vector<double>& samples = reply.candidates[1].samples;
  ASSERT_EQ(samples.size(), 5u);
  for (size_t i = 0; i < samples.size(); ++i) EXPECT_EQ(std::isfinite(samples[i]), i < 2) << i;
  EXPECT_EQ(reply.candidates[1].kind, TrialKind::ok) << "slow is no failure";
  EXPECT_GT(reply.candidates[1].ratio, 1.25);
}

}  // namespace
}  // namespace gatefold::test
