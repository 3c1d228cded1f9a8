#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

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

template <typename T>
void shuffle(std::vector<T>& values, SeededRandom& random) {
  for (size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random.below(i)]);
}

}  // namespace gatefold
