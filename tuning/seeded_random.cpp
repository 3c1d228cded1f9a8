#include "tuning/seeded_random.h"

#include <limits>

namespace gatefold {

uint64_t SeededRandom::next() {
  state_ += 0x9e3779b97f4a7c15u;  // splitmix64
  uint64_t x = state_;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

uint64_t SeededRandom::below(uint64_t bound) {
  // Values beyond the last whole multiple of the bound are drawn again, or the low ones come more
  // often.
  const uint64_t last = std::numeric_limits<uint64_t>::max() / bound * bound;
  uint64_t value = next();
  while (value >= last) value = next();
  return value % bound;
}

}  // namespace gatefold
