#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/target.h"

namespace gatefold {

/// What the analytic default and the cost model need to know of a CPU. Sizes in bytes, of one core
/// except l3.
struct CpuProfile {
  std::string name;
  int64_t l1d = 32 << 10;
  int64_t l2 = 512 << 10;
  int64_t l3 = 16 << 20;  ///< what one process may count on
  /// Which core's figures the cost model takes, a micro-architecture's name; empty or not known: of
  /// a usual core of the target.
  std::string core = {};
  std::optional<Arch> arch = {};      ///< nothing: of any
  std::optional<Target> target = {};  ///< the best that it runs; nothing: not known
};

/// Profiles for generating without the machine at hand (`generate --cpu NAME`).
const std::vector<CpuProfile>& all_cpu_profiles();
const CpuProfile& cpu_profile_named(std::string_view name);
/// The same; a usage error (naming --cpu) if it is of another architecture.
const CpuProfile& cpu_profile_named(std::string_view name, Arch arch);

}  // namespace gatefold
