#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "spec/error.h"

namespace gatefold::test {

/// An empty folder that goes with the test.
class TempFolder {
 public:
  TempFolder() {
    std::string pattern = testing::TempDir() + "gatefold-formats-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp " + pattern);
    path_ = pattern;
  }
  ~TempFolder() { std::filesystem::remove_all(path_); }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

  std::filesystem::path file(std::string_view name, std::string_view bytes) const {
    std::ofstream(path_ / name, std::ios::binary).write(bytes.data(), std::ssize(bytes));
    return path_ / name;
  }

  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      result.push_back(entry.path().filename().string());
    }
    return result;
  }

 private:
  std::filesystem::path path_;
};

inline std::string content(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// The message of the Error that `action` throws, checked to be one line and of exit code 1.
template <typename Action>
std::string error_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), 1);
    const std::string message = error.what();
    EXPECT_EQ(message.find_first_of("\n\r\x1b"), std::string::npos) << message;
    return message;
  }
  ADD_FAILURE() << "no error";
  return {};
}

}  // namespace gatefold::test
