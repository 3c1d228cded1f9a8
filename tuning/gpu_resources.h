#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuning/gpu_launch.h"

namespace gatefold {

inline constexpr const char* kEstimatedRegisters = "estimate";
inline constexpr const char* kAssembledRegisters = "ptxas";

/// What an assembler says of one entry of a PTX text.
struct EntryResources {
  std::string name;
  int registers = 0;         ///< of a thread
  int64_t stack_bytes = 0;   ///< of a thread
  int64_t spill_bytes = 0;   ///< stores and loads of them in its code
  int64_t shared_bytes = 0;  ///< static ones, of a block
};

/// The entries in what `ptxas -v` prints, in its order; lines that are of something else are left
/// out. An Error if an entry has no count of registers: a text that was cut off.
std::vector<EntryResources> parse_ptxas(std::string_view text);

/// Why its code is not worth running; nothing if it is.
std::optional<std::string> why_refused(const EntryResources& entry);

/// The entry of each launch, in the order of the launches; an Error that names a launch without
/// one.
std::vector<EntryResources> entries_of(const std::vector<GpuLaunch>& launches,
                                       const std::vector<EntryResources>& entries);

/// What each of these points needs, or why there is no code of it.
struct PointResources {
  std::vector<EntryResources> entries;
  std::string failure;  ///< empty if there are entries
};
using ResourceReader =
    std::function<std::vector<PointResources>(const std::vector<DevicePoint>& points)>;

}  // namespace gatefold
