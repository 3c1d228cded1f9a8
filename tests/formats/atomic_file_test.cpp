#include "formats/atomic_file.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "tests/formats/files.h"

namespace gatefold::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

/// Stands for a full disk too: write() fails the same way, in the middle of the data.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_;
};

std::string write_error(const std::filesystem::path& path, std::string_view text = "text") {
  return error_of([&] { write_file_atomically(path, text); });
}

TEST(AtomicFile, WritesANewFile) {
  const TempFolder folder;
  write_file_atomically(folder / "a.txt", "some text");
  EXPECT_EQ(content(folder / "a.txt"), "some text");
  EXPECT_THAT(folder.names(), ElementsAre("a.txt"));
}

TEST(AtomicFile, WritesAnEmptyFile) {
  const TempFolder folder;
  write_file_atomically(folder / "a.txt", "");
  EXPECT_EQ(content(folder / "a.txt"), "");
  EXPECT_THAT(folder.names(), ElementsAre("a.txt"));
}

TEST(AtomicFile, ReplacesAFile) {
  const TempFolder folder;
  folder.file("a.txt", "the old and longer text");
  write_file_atomically(folder / "a.txt", "new");
  EXPECT_EQ(content(folder / "a.txt"), "new");
  EXPECT_THAT(folder.names(), ElementsAre("a.txt"));
}

TEST(AtomicFile, NothingIsVisibleBeforeCommit) {
  const TempFolder folder;
  folder.file("a.txt", "old");
  {
    AtomicFile file(folder / "a.txt");
    file.write(std::as_bytes(std::span("new", 3)));
    EXPECT_EQ(content(folder / "a.txt"), "old");
  }
  EXPECT_EQ(content(folder / "a.txt"), "old");
  EXPECT_THAT(folder.names(), ElementsAre("a.txt"));
}

TEST(AtomicFile, ModeFollowsUmask) {
  const TempFolder folder;
  const mode_t before = umask(027);
  write_file_atomically(folder / "a.txt", "text");
  umask(before);
  struct stat status;
  ASSERT_EQ(stat((folder / "a.txt").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST(AtomicFile, AReplacedFileKeepsItsMode) {
  const TempFolder folder;
  const auto path = folder.file("a.txt", "old");
  for (mode_t mode : {0600u, 0664u, 0755u}) {
    ASSERT_EQ(chmod(path.c_str(), mode), 0);
    write_file_atomically(path, "new");
    struct stat status;
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, mode);
  }
}

TEST(AtomicFile, LongestNameFits) {
  const TempFolder folder;
  const std::string name(255, 'n');
  write_file_atomically(folder / name, "text");
  EXPECT_EQ(content(folder / name), "text");
}

TEST(AtomicFile, WritesThroughALink) {
  const TempFolder folder;
  folder.file("real", "old");
  std::filesystem::create_symlink("real", folder / "link");
  write_file_atomically(folder / "link", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(content(folder / "real"), "new");
  EXPECT_THAT(folder.names(), UnorderedElementsAre("real", "link"));
}

TEST(AtomicFile, WritesThroughLinksToAFileThatIsNotThereYet) {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "sub");
  std::filesystem::create_symlink("sub/second", folder / "first");
  std::filesystem::create_symlink("../real", folder / "sub" / "second");
  write_file_atomically(folder / "first", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "first"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "sub" / "second"));
  EXPECT_EQ(content(folder / "real"), "new");
}

TEST(AtomicFile, ALinkToItselfIsAnError) {
  const TempFolder folder;
  std::filesystem::create_symlink("loop", folder / "loop");
  EXPECT_THAT(write_error(folder / "loop"), HasSubstr("loop: is a link that leads to itself"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "loop"));
}

TEST(AtomicFile, FileSizeLimitIsAnErrorAndLeavesNothing) {
  const TempFolder folder;
  std::string message;
  {
    const FileSizeLimit limit(4096);
    message = write_error(folder / "a.bin", std::string(100000, 'x'));
  }
  EXPECT_THAT(message, HasSubstr("a.bin: cannot write: File too large"));
  EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(AtomicFile, FileSizeLimitLeavesTheOldFile) {
  const TempFolder folder;
  folder.file("a.bin", "old");
  {
    const FileSizeLimit limit(4096);
    write_error(folder / "a.bin", std::string(100000, 'x'));
  }
  EXPECT_EQ(content(folder / "a.bin"), "old");
  EXPECT_THAT(folder.names(), ElementsAre("a.bin"));
}

TEST(AtomicFile, FileSizeLimitLeavesTheSignalAsItWas) {
  const TempFolder folder;
  {
    const FileSizeLimit limit(4096);
    write_error(folder / "a.bin", std::string(100000, 'x'));
  }
  sigset_t set;
  sigpending(&set);
  EXPECT_EQ(sigismember(&set, SIGXFSZ), 0);
  pthread_sigmask(SIG_BLOCK, nullptr, &set);
  EXPECT_EQ(sigismember(&set, SIGXFSZ), 0);
}

TEST(AtomicFile, MissingFolderIsAnError) {
  const TempFolder folder;
  const std::string message = write_error(folder / "absent" / "a.txt");
  EXPECT_THAT(message, HasSubstr("a.txt: cannot create a file in folder"));
  EXPECT_THAT(message, HasSubstr("No such file"));
}

TEST(AtomicFile, FolderThatIsAFileIsAnError) {
  const TempFolder folder;
  const auto file = folder.file("out", "a file");
  EXPECT_THAT(write_error(file / "a.txt"), HasSubstr("Not a directory"));
  EXPECT_EQ(content(file), "a file");
}

TEST(AtomicFile, FolderAsTargetIsAnError) {
  const TempFolder folder;
  EXPECT_THAT(write_error(folder.path()), HasSubstr("is a folder"));
  EXPECT_THAT(write_error(folder / "new/"), HasSubstr("is a folder"));
  EXPECT_THAT(write_error(""), HasSubstr("empty"));
  EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(AtomicFile, DeviceIsNotReplaced) {
  EXPECT_THAT(write_error("/dev/null"), HasSubstr("wanted a regular file or a new name"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

}  // namespace
}  // namespace gatefold::test
