#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <optional>
#include <thread>

#include "spec/error.h"
#include "tests/tuning/fake_candidate.h"
#include "tuning/measure_lock.h"

namespace gatefold::test {
namespace {

using testing::HasSubstr;

class Lock : public testing::Test {
 protected:
  LockOptions options() { return {.path = folder_ / "lock", .waiting = {}, .stop = nullptr}; }
  ScratchFolder folder_;
};

TEST_F(Lock, OneAtATime) {
  std::optional<MeasureLock> first;
  first.emplace(options());
  ASSERT_TRUE(first->held());
  std::atomic<bool> waited{false}, got{false};
  LockOptions waiting = options();
  waiting.waiting = [&](const std::string& message) {
    EXPECT_THAT(message, HasSubstr("waiting"));
    waited = true;
  };
  std::thread second([&] {
    const MeasureLock lock(waiting);
    got = lock.held();
  });
  while (!waited) std::this_thread::yield();
  EXPECT_FALSE(got);
  first.reset();
  second.join();
  EXPECT_TRUE(got);
}

TEST_F(Lock, StopEndsTheWait) {
  const MeasureLock first(options());
  std::atomic<bool> stop{false};
  LockOptions waiting = options();
  waiting.stop = &stop;
  waiting.waiting = [&](const std::string&) { stop = true; };
  EXPECT_FALSE(MeasureLock(waiting).held());
}

TEST_F(Lock, FreedWhenItsProcessIsKilled) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const MeasureLock lock(options());
    [[maybe_unused]] const ssize_t told = write(ready[1], "x", 1);
    pause();
    _exit(0);
  }
  char byte;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(MeasureLock(options()).held());
  close(ready[0]);
  close(ready[1]);
}

TEST_F(Lock, DeletedFileKeepsNobodyOut) {
  LockOptions waiting = options();
  std::optional<MeasureLock> old;
  old.emplace(options());
  std::filesystem::remove(options().path);
  const MeasureLock fresh(waiting);  // another file under the same name
  EXPECT_TRUE(fresh.held());
  old.reset();
  std::atomic<bool> stop{false};
  waiting.stop = &stop;
  waiting.waiting = [&](const std::string&) { stop = true; };
  EXPECT_FALSE(MeasureLock(waiting).held()) << "the new file's lock is not respected";
}

TEST_F(Lock, PlantedLinkIsRefused) {
  std::ofstream(folder_ / "victim") << "data";
  std::filesystem::create_symlink(folder_ / "victim", options().path);
  EXPECT_THROW(MeasureLock{options()}, Error);
  EXPECT_EQ(std::filesystem::file_size(folder_ / "victim"), 4u);
}

TEST_F(Lock, FolderOrPipeIsRefused) {
  std::filesystem::create_directory(options().path);
  EXPECT_THROW(MeasureLock{options()}, Error);
  std::filesystem::remove(options().path);
  ASSERT_EQ(mkfifo(options().path.c_str(), 0600), 0);
  EXPECT_THROW(MeasureLock{options()}, Error);
}

TEST_F(Lock, OthersMayWaitForIt) {
  const mode_t before = umask(077);
  const MeasureLock lock(options());
  umask(before);
  struct stat status = {};
  ASSERT_EQ(stat(options().path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0644u);
}

}  // namespace
}  // namespace gatefold::test
