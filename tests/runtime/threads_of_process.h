#pragma once

#include <filesystem>
#include <iterator>

namespace gatefold {

/// Threads that this process has now.
inline int threads_of_process() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<int>(std::distance(begin(tasks), end(tasks)));
}

}  // namespace gatefold
