#pragma once

#include <cstdint>

namespace gatefold {

/// Numbers in [0, bound) from a seed, the same with every standard library.
class SeededRandom {
 public:
  explicit SeededRandom(uint64_t seed) : state_(seed) {}
  uint64_t below(uint64_t bound);

 private:
  uint64_t next();
  uint64_t state_;
};

}  // namespace gatefold
