#pragma once

#include <stdexcept>
#include <string>

namespace gatefold {

/// What went wrong, as the process's exit code tells it.
enum class ErrorKind {
  failed = 1,       ///< the work could not be done
  usage = 2,        ///< the request itself is wrong
  unavailable = 3,  ///< the target or device is not on this machine
};

/// The one exception type of everything outside the C ABI. The message is one line that names the
/// thing (flag, file, field), the value found and the value wanted.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }
  int exit_code() const { return static_cast<int>(kind_); }

 private:
  ErrorKind kind_;
};

[[noreturn]] inline void fail_usage(const std::string& message) {
  throw Error(ErrorKind::usage, message);
}
[[noreturn]] inline void fail(const std::string& message) {
  throw Error(ErrorKind::failed, message);
}
[[noreturn]] inline void fail_unavailable(const std::string& message) {
  throw Error(ErrorKind::unavailable, message);
}

}  // namespace gatefold
