#include "spec/target.h"

#include "spec/names.h"

namespace gatefold {
namespace {

#define GATEFOLD_AVX2 "x86-64-linux-sse41-avx-f16c-fma-avx2"
#define GATEFOLD_AVX512 GATEFOLD_AVX2 "-avx512-avx512_skylake"

std::vector<TargetInfo> make_targets() {
  return {
      {"x86-avx2", Target::x86_avx2, 8, 16, Bf16Path::widen, GATEFOLD_AVX2},
      {"x86-avx512", Target::x86_avx512, 16, 32, Bf16Path::widen, GATEFOLD_AVX512},
      // Halide 21 knows vdpbf16ps only together with the rest of Zen 4's extensions.
      {"x86-avx512-bf16", Target::x86_avx512_bf16, 16, 32, Bf16Path::dot,
       GATEFOLD_AVX512 "-avx512_cannonlake-avx512_zen4"},
  };
}

}  // namespace

const std::vector<TargetInfo>& all_targets() {
  static const std::vector<TargetInfo> targets = make_targets();
  return targets;
}

const TargetInfo& info(Target target) { return all_targets().at(static_cast<size_t>(target)); }

const TargetInfo& target_named(std::string_view name) {
  return find_named(all_targets(), name, "target");
}

}  // namespace gatefold
