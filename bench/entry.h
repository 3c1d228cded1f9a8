#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/contender.h"

namespace gatefold {

/// A contender and what one run knows of it.
struct Entry {
  Entry(std::string name, bool own) : name(std::move(name)), own(own) {}

  std::string name;
  bool own;
  std::unique_ptr<Contender> contender;
  size_t next_copy = 1;  ///< of its weights
  std::vector<double> samples;
  std::vector<uint8_t> judged;  ///< y of the call that was compared with the reference
  std::string fault;            ///< what a timed call did wrong
  std::string absent;           ///< why it takes no part, or no longer

  /// A competitor that fails is left out from then on; its process, if there is one, ends.
  template <typename Action>
  void attempt(Action&& action) {
    if (!absent.empty()) return;
    try {
      action();
    } catch (const NotRun& reason) {
      absent = reason.what();
      contender.reset();
    }
  }
};

}  // namespace gatefold
