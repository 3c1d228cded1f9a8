#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace gatefold {

/// A file that appears under its name whole or not at all: written beside the target under a
/// temporary name, renamed by commit(), removed if commit() is not reached. A full disk and the
/// file-size limit (RLIMIT_FSIZE, without its signal) are errors like any other. Guards against a
/// writer that fails, not against power loss: nothing is synced to the disk.
class AtomicFile {
 public:
  /// Throws if `path` names a folder, device or pipe, or if its folder cannot be written to.
  explicit AtomicFile(const std::filesystem::path& path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void write(std::span<const std::byte> bytes);
  void commit();

 private:
  [[noreturn]] void fail_errno(const char* what) const;

  std::filesystem::path target_;
  std::filesystem::path temporary_;  ///< empty once committed
  int fd_ = -1;
};

void write_file_atomically(const std::filesystem::path& path, std::span<const std::byte> bytes);
void write_file_atomically(const std::filesystem::path& path, std::string_view text);

}  // namespace gatefold
