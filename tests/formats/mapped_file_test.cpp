#include "formats/mapped_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "tests/formats/files.h"

namespace gatefold::test {
namespace {

using testing::HasSubstr;

std::string text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

std::string open_error(const std::filesystem::path& path) {
  return error_of([&] { MappedFile::open(path); });
}

TEST(MappedFile, GivesTheBytes) {
  const TempFolder folder;
  EXPECT_EQ(text_of(MappedFile::open(folder.file("a", "some bytes"))), "some bytes");
}

TEST(MappedFile, BytesStayWhereTheyAreWhenMoved) {
  const TempFolder folder;
  MappedFile first = MappedFile::open(folder.file("a", "first"));
  const std::byte* address = first.bytes().data();
  MappedFile second = std::move(first);
  EXPECT_EQ(second.bytes().data(), address);
  second = MappedFile::open(folder.file("b", "second"));
  EXPECT_EQ(text_of(second), "second");
}

TEST(MappedFile, KeepsTheOldBytesWhenTheFileIsReplaced) {
  const TempFolder folder;
  const MappedFile mapped = MappedFile::open(folder.file("a", "old"));
  std::filesystem::rename(folder.file("b", "newer"), folder / "a");
  EXPECT_EQ(text_of(mapped), "old");
}

TEST(MappedFile, MissingFileIsAnError) {
  const TempFolder folder;
  const std::string message = open_error(folder / "absent");
  EXPECT_THAT(message, HasSubstr("absent"));
  EXPECT_THAT(message, HasSubstr("No such file"));
}

TEST(MappedFile, FolderIsAnError) {
  const TempFolder folder;
  EXPECT_THAT(open_error(folder.path()), HasSubstr("is a folder, wanted a regular file"));
}

TEST(MappedFile, EmptyFileIsAnError) {
  const TempFolder folder;
  EXPECT_THAT(open_error(folder.file("a", "")), HasSubstr("empty"));
}

TEST(MappedFile, DeviceIsAnError) {
  EXPECT_THAT(open_error("/dev/zero"), HasSubstr("wanted a regular file"));
}

TEST(MappedFile, PipeWithoutWriterIsAnErrorAndDoesNotWait) {
  const TempFolder folder;
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(open_error(folder / "pipe"), HasSubstr("wanted a regular file"));
}

}  // namespace
}  // namespace gatefold::test
