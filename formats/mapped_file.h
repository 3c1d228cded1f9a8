#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace gatefold {

/// A regular file, mapped read-only. The bytes keep their address when the object is moved.
/// A file that another process shortens while it is mapped ends this process with SIGBUS; replacing
/// a file by rename, as every writer here does, is safe.
class MappedFile {
 public:
  /// Throws if `path` is missing, unreadable, empty or anything but a regular file.
  static MappedFile open(const std::filesystem::path& path);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::span<const std::byte> bytes_;
};

}  // namespace gatefold
