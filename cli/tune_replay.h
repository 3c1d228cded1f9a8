#pragma once

#include <optional>
#include <string>

namespace gatefold::cli {

/// The text of `tune --replay` and the flags that go with it.
struct ReplayOptions {
  std::string files;                    ///< FILE[,FILE…]
  std::optional<std::string> strategy;  ///< or "all", which is the default
  std::optional<std::string> trials;    ///< N[,N…]
  int seeds = 20;
  bool json = false;
};

/// Prints how near the strategies come to the optima of recorded spaces.
int run_replay(const ReplayOptions& options);

}  // namespace gatefold::cli
