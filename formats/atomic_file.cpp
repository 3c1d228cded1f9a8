#include "formats/atomic_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <random>
#include <string>
#include <system_error>

#include "spec/error.h"

namespace gatefold {
namespace {

namespace fs = std::filesystem;

/// Makes write() past RLIMIT_FSIZE return EFBIG in this thread instead of ending the process. The
/// signal is blocked and taken back rather than ignored: its disposition belongs to the process.
class FileSizeSignalBlock {
 public:
  FileSizeSignalBlock() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGXFSZ) == 1;
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~FileSizeSignalBlock() {
    const int kept_errno = errno;
    constexpr timespec kNoWait = {0, 0};
    if (!was_pending_) sigtimedwait(&signal_, nullptr, &kNoWait);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = kept_errno;
  }
  FileSizeSignalBlock(const FileSizeSignalBlock&) = delete;
  FileSizeSignalBlock& operator=(const FileSizeSignalBlock&) = delete;

 private:
  sigset_t signal_;
  sigset_t before_;
  bool was_pending_;
};

/// The file that a link names, even one that is not there yet, so that the link itself stays.
fs::path through_links(const fs::path& path) {
  constexpr int kMostLinks = 40;  // as the kernel
  fs::path target = path;
  std::error_code error;
  for (int i = 0; i < kMostLinks; ++i) {
    if (!fs::is_symlink(target, error)) return target;
    target = target.parent_path() / fs::read_symlink(target, error);
  }
  fail(path.string() + ": is a link that leads to itself, wanted a file");
}

/// Where the bytes go. Refuses what a rename would destroy (as root, even /dev/null).
fs::path checked_target(const fs::path& path) {
  if (path.empty()) fail("the name of the file to write is empty");
  const fs::path target = through_links(path);
  std::error_code error;
  const fs::file_status status = fs::status(target, error);
  if (fs::is_directory(status) || !target.has_filename()) {
    fail(path.string() + ": is a folder, wanted the name of a file to write");
  }
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    fail(path.string() + ": is a device, pipe or socket, wanted a regular file or a new name");
  }
  return target;
}

/// A private file that is replaced stays private; a new one's mode follows the umask.
bool keep_mode(const fs::path& target, int fd) {
  struct stat old;
  if (::stat(target.c_str(), &old) != 0) return true;
  return ::fchmod(fd, old.st_mode & 0777) == 0;
}

/// Does not contain the target's name, which may be as long as the file system allows.
std::string temporary_name() {
  std::random_device random;
  const uint64_t number = uint64_t{random()} << 32 | random();
  return ".gatefold-" + std::to_string(number) + ".tmp";
}

}  // namespace

AtomicFile::AtomicFile(const fs::path& path) : target_(checked_target(path)) {
  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  do {
    temporary_ = folder / temporary_name();
    fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (fd_ < 0 && errno == EEXIST);
  if (fd_ < 0) {
    fail(path.string() + ": cannot create a file in folder '" + folder.string() +
         "': " + std::generic_category().message(errno));
  }
  if (!keep_mode(target_, fd_)) {
    const int error = errno;
    ::close(fd_);
    ::unlink(temporary_.c_str());
    fail(path.string() + ": cannot keep its mode: " + std::generic_category().message(error));
  }
}

AtomicFile::~AtomicFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  const FileSizeSignalBlock block;
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_errno("write");
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
}

void AtomicFile::commit() {
  const int fd = fd_;
  fd_ = -1;
  // Network file systems report a full disk here.
  if (::close(fd) != 0 && errno != EINTR) fail_errno("write");
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail_errno("replace");
  temporary_.clear();
}

void AtomicFile::fail_errno(const char* what) const {
  fail(target_.string() + ": cannot " + what + ": " + std::generic_category().message(errno));
}

void write_file_atomically(const fs::path& path, std::span<const std::byte> bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

void write_file_atomically(const fs::path& path, std::string_view text) {
  write_file_atomically(path, std::as_bytes(std::span(text)));
}

}  // namespace gatefold
