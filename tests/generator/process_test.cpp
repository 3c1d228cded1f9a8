#include "generator/process.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <thread>

#include "tests/formats/files.h"

namespace gatefold::test {
namespace {

TEST(Processes, AStopKillsWhatRunsAndStartsNothingMore) {
  const TempFolder folder;
  const std::string pid_file = folder / "pid";
  const std::string script = "echo $$ > " + pid_file + "; exec sleep 600";
  std::atomic<bool> stop{false};
  std::thread stopper([&] {
    while (content(pid_file).find('\n') == std::string::npos) std::this_thread::yield();
    stop = true;
  });
  int finished = 0;
  run_processes(
      {{"/bin/sh", "-c", script}, {"/bin/sh", "-c", "touch " + (folder / "more").string()}}, 1,
      {.timeout_s = 60, .memory_bytes = 0, .stop = &stop},
      [&](size_t, const ProcessResult&) { return ++finished > 0; });
  stopper.join();
  EXPECT_EQ(finished, 0);
  EXPECT_EQ(kill(std::stoi(content(pid_file)), 0), -1) << "the child still runs";
  EXPECT_EQ(folder.names(), std::vector<std::string>{"pid"});
}

TEST(Programs, AreFoundAsTheShellFindsThem) {
  EXPECT_EQ(find_program("/bin/sh"), "/bin/sh");
  EXPECT_FALSE(find_program("sh").empty());
  EXPECT_EQ(find_program("no-such-program"), "");
  EXPECT_EQ(find_program("/"), "") << "a folder is no program";
}

}  // namespace
}  // namespace gatefold::test
