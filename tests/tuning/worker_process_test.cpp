// A program that is spoken to by lines, and stopped between them.
#include "tuning/worker_process.h"

#include <gtest/gtest.h>

namespace gatefold::test {
namespace {

TEST(WorkerProcess, DoesNothingWhileItIsSuspended) {
  WorkerProcess process({"sh", "-c", "read line; echo $line; read line; echo again"});
  std::string line;
  ASSERT_TRUE(process.write_line("once"));
  ASSERT_EQ(process.read_line(line, 60), WorkerProcess::Read::line);
  EXPECT_EQ(line, "once");
  process.suspend();
  ASSERT_TRUE(process.write_line("twice"));
  EXPECT_EQ(process.read_line(line, 0.3), WorkerProcess::Read::timed_out);
  process.resume();
  ASSERT_EQ(process.read_line(line, 60), WorkerProcess::Read::line);
  EXPECT_EQ(line, "again");
  EXPECT_EQ(process.finish(60).code, 0);
}

TEST(WorkerProcess, ASuspendedOneIsWokenToEnd) {
  WorkerProcess process({"sh", "-c", "read line; exit 3"});
  process.suspend();
  const WorkerExit exit = process.finish(60);
  EXPECT_EQ(exit.signal, 0);
  EXPECT_EQ(exit.code, 3);
}

}  // namespace
}  // namespace gatefold::test
