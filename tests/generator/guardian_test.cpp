// What stands between a program and what it starts.
#include "generator/guardian.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "tests/formats/files.h"
#include "tests/support/process_tree.h"

namespace gatefold::test {
namespace {

constexpr double kSeconds = 20;

class Guardian : public testing::Test {
 protected:
  void SetUp() override {
    take_in_orphans();
    ASSERT_TRUE(no_child_left(kSeconds));
  }
  GuardedChild shell(const std::string& script) {
    return start_guarded([&] {
      execl("/bin/sh", "sh", "-c", script.c_str(), nullptr);
      _exit(127);
    });
  }
  int status_of(const std::string& script) {
    const GuardedChild child = shell(script);
    int status = 0;
    EXPECT_EQ(waitpid(child.guardian, &status, 0), child.guardian);
    return status;
  }
  void wait_for(const std::string& name) {
    while (!std::filesystem::exists(folder_ / name)) std::this_thread::yield();
  }
  /// A program with a child in a session of its own that is deaf to SIGTERM, and that begins a
  /// file.
  std::string family() {
    return "setsid sh -c 'trap \"\" TERM; touch " + file("began") +
           "; while :; do sleep 600; done' & trap '' TERM; wait; sleep 600";
  }
  std::string file(const std::string& name) { return (folder_ / name).string(); }
  TempFolder folder_;
};

TEST_F(Guardian, EndsAsTheChildDoes) {
  EXPECT_EQ(WEXITSTATUS(status_of("exit 7")), 7);
  const int status = status_of("kill -SEGV $$");
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGSEGV);
}

TEST_F(Guardian, WhatTheChildLeavesBehindIsGoneBeforeItsEndIsTold) {
  status_of("setsid sleep 600 & sleep 600 & exit 0");
  EXPECT_TRUE(no_child_left(0.0)) << "an orphan came to this process";
}

TEST_F(Guardian, EndsAllOfItWhenTold) {
  const GuardedChild child = shell(family());
  wait_for("began");
  end_guarded(child);
  EXPECT_TRUE(no_child_left(0.0));
}

TEST_F(Guardian, EndsAllOfItWhenItsStarterIsKilled) {
  const pid_t starter = fork();
  if (starter == 0) {
    shell(family());
    pause();
    _exit(0);
  }
  wait_for("began");
  kill(starter, SIGKILL);
  EXPECT_TRUE(no_child_left(kSeconds));
}

TEST_F(Guardian, AsksBeforeItKills) {
  const GuardedChild child = shell("trap 'touch " + file("asked") + "; exit 0' TERM; touch " +
                                   file("began") + "; while :; do sleep 0.01; done");
  wait_for("began");
  end_guarded(child);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "asked"));
}

TEST_F(Guardian, HoldsNothingOpen) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);  // without close-on-exec, so the child closes it itself
  const GuardedChild child =
      shell("exec 0<&- " + std::to_string(ends[1]) + ">&-; touch " + file("began") + "; sleep 600");
  wait_for("began");
  close(ends[1]);
  char byte;
  EXPECT_EQ(read(ends[0], &byte, 1), 0) << "the guardian keeps the writing end";
  close(ends[0]);
  end_guarded(child);
}

}  // namespace
}  // namespace gatefold::test
