#pragma once

#include <iterator>

namespace gatefold::test {

// The targets of this architecture from the lowest to the highest, and one of another.
#if defined(__x86_64__)
inline constexpr const char* kHostTargets[] = {"x86-avx2", "x86-avx512", "x86-avx512-bf16"};
inline constexpr const char* kForeignTarget = "arm64-neon";
#elif defined(__aarch64__)
inline constexpr const char* kHostTargets[] = {"arm64-neon", "arm64-neon-dotprod"};
inline constexpr const char* kForeignTarget = "x86-avx2";
#endif
inline constexpr const char* kLowestTarget = kHostTargets[0];
inline constexpr const char* kSecondTarget = kHostTargets[1];
inline constexpr const char* kHighestTarget = *(std::end(kHostTargets) - 1);

}  // namespace gatefold::test
