#include "tuning/measure_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <thread>

#include "spec/error.h"

namespace gatefold {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFileName = "gatefold-measure.lock";
constexpr auto kPoll = std::chrono::milliseconds(50);
constexpr int kPollsPerMessage = 20;

/// The folder is open to everybody, so the name could be a planted link: never followed. An
/// existing file is opened without O_CREAT, which the kernel refuses there for another user's file
/// (fs.protected_regular); reading rights are enough for flock.
int open_lock_file(const fs::path& path) {
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  for (int attempt = 0; attempt < 100; ++attempt) {
    int fd = open(path.c_str(), kFlags);
    if (fd >= 0 || errno != ENOENT) return fd;
    fd = open(path.c_str(), kFlags | O_CREAT | O_EXCL, 0644);
    if (fd >= 0) {
      fchmod(fd, 0644);  // whatever the umask: other users must be able to wait for it
      return fd;
    }
    if (errno != EEXIST) return -1;
  }
  return -1;
}

int open_checked(const fs::path& path) {
  const int fd = open_lock_file(path);
  if (fd < 0) fail("measuring lock " + path.string() + ": " + std::strerror(errno));
  struct stat status = {};
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(fd);
    fail("measuring lock " + path.string() + ": not a regular file");
  }
  return fd;
}

/// Whether the name still leads to the file that is open: it may have been deleted while waiting,
/// and then the lock would keep nobody out.
bool still_there(int fd, const fs::path& path) {
  struct stat opened = {}, named = {};
  return fstat(fd, &opened) == 0 && lstat(path.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

bool stopped(const LockOptions& options) { return options.stop && options.stop->load(); }

/// Whether the lock was got; polls, so that Ctrl-C ends the wait.
bool wait_for(int fd, const LockOptions& options) {
  for (int poll = 0; !stopped(options); ++poll) {
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) return true;
    if (errno != EWOULDBLOCK && errno != EINTR) {
      fail("measuring lock " + options.path.string() + ": " + std::strerror(errno));
    }
    if (poll % kPollsPerMessage == 0 && options.waiting) {
      options.waiting("waiting for another program to finish measuring (" + options.path.string() +
                      ")");
    }
    std::this_thread::sleep_for(kPoll);
  }
  return false;
}

}  // namespace

fs::path default_lock_path() {
  const fs::path run = "/run/lock";
  if (access(run.c_str(), W_OK | X_OK) == 0) return run / kFileName;
  std::error_code error;
  const fs::path temporary = fs::temp_directory_path(error);
  return (error ? fs::path("/tmp") : temporary) / kFileName;
}

MeasureLock::MeasureLock(const LockOptions& options) {
  while (!stopped(options)) {
    const int fd = open_checked(options.path);
    bool locked = false;
    try {
      locked = wait_for(fd, options);
    } catch (...) {
      close(fd);
      throw;
    }
    if (locked && still_there(fd, options.path)) {
      fd_ = fd;
      return;
    }
    close(fd);
  }
}

MeasureLock::~MeasureLock() {
  if (fd_ >= 0) close(fd_);
}

}  // namespace gatefold
