#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>

namespace gatefold {

/// Where the machine-wide lock lies: /run/lock where one may write there, else the folder for
/// temporary files.
std::filesystem::path default_lock_path();

struct LockOptions {
  std::filesystem::path path = default_lock_path();
  std::function<void(const std::string&)> waiting;  ///< told once a second who is waited for
  const std::atomic<bool>* stop = nullptr;          ///< ends the wait
};

/// Held while anything is timed: two programs that measure at once measure each other. Freed by
/// the kernel when the process ends, however it ends.
class MeasureLock {
 public:
  /// Waits for the lock. Not held afterwards only if `stop` ended the wait.
  explicit MeasureLock(const LockOptions& options = {});
  MeasureLock(const MeasureLock&) = delete;
  MeasureLock& operator=(const MeasureLock&) = delete;
  ~MeasureLock();

  bool held() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

}  // namespace gatefold
