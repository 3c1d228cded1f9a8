#pragma once

#include <filesystem>

namespace gatefold {

/// A folder of this run among the temporary ones, removed with this object. What a killed run left
/// there is removed when the next one makes its own: a lock inside tells the living from the dead.
class RunFolder {
 public:
  RunFolder();
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int lock_ = -1;
};

}  // namespace gatefold
