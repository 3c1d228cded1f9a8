#pragma once

#include <string>

namespace gatefold::cli {

/// One line on stderr that is written over and over and gone at the end; nothing if stderr is not a
/// terminal.
class Progress {
 public:
  Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  void show(const std::string& text);
  void clear();

 private:
  bool terminal_;
  bool shown_ = false;
};

}  // namespace gatefold::cli
