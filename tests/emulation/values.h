#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <random>

namespace gatefold::emulation {

inline uint32_t bits_of(float value) { return std::bit_cast<uint32_t>(value); }
inline float float_of(uint32_t bits) { return std::bit_cast<float>(bits); }

/// The same bits, or both NaN (whose payload the ISA lets depend on the operands' order).
inline bool same(float a, float b) { return bits_of(a) == bits_of(b) || (a != a && b != b); }

/// The same values in every run.
class Values {
 public:
  explicit Values(uint32_t seed) : engine_(seed) {}
  uint32_t word() { return static_cast<uint32_t>(engine_()); }
  float plain() { return std::uniform_real_distribution<float>(-4, 4)(engine_); }
  /// Any bits: infinities, NaNs, denormals.
  float any() { return float_of(word()); }
  /// Tiny: products of two are denormal or zero.
  float tiny() { return float_of(word() & 0x81ffffff); }

  template <class T, size_t N, class F>
  std::array<T, N> array(F&& make) {
    std::array<T, N> values;
    for (T& value : values) value = static_cast<T>(make());
    return values;
  }
  template <size_t N>
  std::array<float, N> plain_floats() {
    return array<float, N>([this] { return plain(); });
  }
  template <class T, size_t N>
  std::array<T, N> words() {
    return array<T, N>([this] { return word(); });
  }

 private:
  std::mt19937 engine_;
};

}  // namespace gatefold::emulation
