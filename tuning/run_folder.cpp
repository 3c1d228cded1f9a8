#include "tuning/run_folder.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "spec/error.h"

namespace gatefold {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefix = "gatefold-run-";
constexpr const char* kLock = "lock";

fs::path make_folder() {
  std::string name = (fs::temp_directory_path() / (std::string(kPrefix) + "XXXXXX")).string();
  if (!mkdtemp(name.data())) fail("temporary folder " + name + ": " + std::strerror(errno));
  return name;
}

/// Locked before it gets its name, so that nobody ever sees it free while its owner lives.
int make_lock(const fs::path& folder) {
  const fs::path made = folder / "lock.new";
  const int fd = open(made.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) != 0 ||
      rename(made.c_str(), (folder / kLock).c_str()) != 0) {
    const int error = errno;
    if (fd >= 0) close(fd);
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    fail("temporary folder " + folder.string() + ": " + std::strerror(error));
  }
  return fd;
}

/// The temporary folder is open to everybody: links are not followed, and only what belongs to this
/// user is touched.
void remove_if_dead(const fs::path& folder) {
  struct stat status = {};
  if (lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != geteuid())
    return;
  const int fd = open((folder / kLock).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return;
  std::error_code ignored;
  if (flock(fd, LOCK_EX | LOCK_NB) == 0) fs::remove_all(folder, ignored);
  close(fd);
}

void sweep() {
  std::error_code error;
  fs::directory_iterator entry(fs::temp_directory_path(), error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (entry->path().filename().string().starts_with(kPrefix)) remove_if_dead(entry->path());
  }
}

}  // namespace

RunFolder::RunFolder() {
  sweep();
  path_ = make_folder();
  lock_ = make_lock(path_);
}

RunFolder::~RunFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  close(lock_);
}

}  // namespace gatefold
