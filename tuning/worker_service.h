#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>

#include "tuning/arena.h"
#include "tuning/measure_lock.h"
#include "tuning/worker_protocol.h"

namespace gatefold {

/// What a worker does with the lines that it reads.
class WorkerService {
 public:
  struct Options {
    std::filesystem::path folder;  ///< for libraries that are sent
    std::filesystem::path lock = default_lock_path();
    ArenaEvents events;
    std::function<void(const std::string& line)> say;
  };

  explicit WorkerService(Options options);

  /// Answers one line; false if it was the last.
  bool serve(const std::string& line);

 private:
  std::string answer(const HelloRequest& hello);
  std::string answer(const SentLibrary& library);
  std::string answer(const RoofRequest& request);
  std::string answer(MeasureRequest request);
  void limit_memory(int64_t bytes);
  LockOptions lock_options() const;

  Options options_;
  Arena arena_;
  std::set<std::string> sent_;
  int64_t memory_bytes_ = 0;  ///< 0: no limit yet
};

}  // namespace gatefold
