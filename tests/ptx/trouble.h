#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

namespace gatefold::ptx {

/// Thrown where something is found wrong; the warp that executes knows where it is and makes a
/// Fault of it.
struct Trouble {
  std::string what;
  int lane = -1;  ///< of the warp; -1: the first one that executes
};

template <typename... Args>
[[noreturn]] void trouble(fmt::format_string<Args...> format, Args&&... args) {
  throw Trouble{fmt::format(format, std::forward<Args>(args)...)};
}

template <typename... Args>
[[noreturn]] void trouble_of(int lane, fmt::format_string<Args...> format, Args&&... args) {
  throw Trouble{fmt::format(format, std::forward<Args>(args)...), lane};
}

}  // namespace gatefold::ptx
