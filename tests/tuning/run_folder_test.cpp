#include "tuning/run_folder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>

#include "tests/tuning/fake_candidate.h"

namespace gatefold::test {
namespace {

namespace fs = std::filesystem;

class RunFolderTest : public testing::Test {
 protected:
  RunFolderTest() {
    if (const char* old = getenv("TMPDIR")) before_ = old;
    setenv("TMPDIR", folder_.path().c_str(), 1);
  }
  ~RunFolderTest() override {
    before_.empty() ? unsetenv("TMPDIR") : setenv("TMPDIR", before_.c_str(), 1);
  }
  size_t folders() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_.path()), {}));
  }
  ScratchFolder folder_;
  std::string before_;
};

TEST_F(RunFolderTest, GoesWithItsObject) {
  { const RunFolder run; }
  EXPECT_EQ(folders(), 0u);
}

TEST_F(RunFolderTest, KilledRunsFolderGoesWithTheNextRun) {
  const pid_t child = fork();
  if (child == 0) {
    const RunFolder run;
    std::ofstream(run.path() / "kernel.o") << "code";
    kill(getpid(), SIGKILL);
  }
  waitpid(child, nullptr, 0);
  ASSERT_EQ(folders(), 1u);
  const RunFolder run;
  EXPECT_EQ(folders(), 1u);
  EXPECT_TRUE(fs::exists(run.path()));
}

TEST_F(RunFolderTest, LivingRunsAndWhatIsNotOursStay) {
  const RunFolder living;
  fs::create_directory(folder_ / "gatefold-run-unlocked");
  fs::create_directory(folder_ / "else");
  std::ofstream(folder_ / "else" / "lock").put('x');
  fs::create_directory_symlink(folder_ / "else", folder_ / "gatefold-run-link");
  const RunFolder next;
  EXPECT_TRUE(fs::exists(living.path()));
  EXPECT_EQ(folders(), 5u);
}

}  // namespace
}  // namespace gatefold::test
