#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

namespace gatefold::ptx {

/// Instructions for one thread with a known result. %d1 … %d4 hold the 64-bit inputs, %r1 …, %h1 …
/// and %p1 … their low 32 and 16 bits and whether they are not 0; the result is in the first of
/// %d0, %r0, %h0, %p0 that the code has.
struct SingleCase {
  std::string code;
  std::vector<uint64_t> inputs;
  uint64_t expected;
};

inline uint64_t f(float value) { return std::bit_cast<uint32_t>(value); }
inline uint64_t d(double value) { return std::bit_cast<uint64_t>(value); }
inline uint64_t s(int64_t value) { return static_cast<uint64_t>(value); }
inline uint64_t s32(int32_t value) { return static_cast<uint32_t>(value); }
inline uint64_t pair(uint32_t high, uint32_t low) { return high << 16 | low; }

inline constexpr uint64_t kNan = 0x7fffffff, kOtherNan = 0xffc00001;
inline constexpr uint64_t kInf = 0x7f800000, kMinusInf = 0xff800000;
inline constexpr uint64_t kMinusZero = 0x80000000, kTiny = 0x00000001, kMinusTiny = 0x80000001;

const std::vector<SingleCase>& integer_cases();
const std::vector<SingleCase>& bit_cases();
const std::vector<SingleCase>& float_cases();
const std::vector<SingleCase>& half_cases();
const std::vector<SingleCase>& comparison_cases();
const std::vector<SingleCase>& conversion_cases();
const std::vector<SingleCase>& move_cases();

/// The kernel (name, in, out) of a case.
std::string kernel_of(const SingleCase& single, const std::string& name);
/// .version, .target and so on.
std::string module_header();

}  // namespace gatefold::ptx
