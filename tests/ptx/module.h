#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/ptx/instruction.h"

namespace gatefold::ptx {

/// The slots of 32 lanes that hold what the hardware knows of a thread.
// clang-format off
enum class Special : uint8_t {
  tid_x, tid_y, tid_z, ntid_x, ntid_y, ntid_z, ctaid_x, ctaid_y, ctaid_z,
  nctaid_x, nctaid_y, nctaid_z, laneid, warpid, nwarpid,
  lanemask_eq, lanemask_lt, lanemask_le, lanemask_gt, lanemask_ge
};
// clang-format on

struct Parameter {
  std::string name;
  uint32_t offset = 0, bytes = 0;
};

/// A `.shared` variable that a kernel uses.
struct SharedVariable {
  std::string name;
  uint32_t alignment = 1, bytes = 0;
  uint32_t offset = 0;   ///< in the block's shared memory; of the dynamic one it ends it
  bool dynamic = false;  ///< its size is the launch's
};

struct Kernel {
  std::string name;
  int line = 0;
  std::vector<Parameter> parameters;
  uint32_t parameter_bytes = 0;
  std::array<uint32_t, 3> most_threads{}, required_threads{};  ///< 0: not said
  std::vector<SharedVariable> shared;
  uint32_t local_bytes = 0;  ///< of each thread
  std::vector<Instruction> code;
  uint32_t slots = 1;
  std::vector<std::pair<uint32_t, uint64_t>> constants;  ///< slot, value
  std::vector<std::pair<uint32_t, Special>> specials;
};

struct Module {
  std::string text;
  std::vector<size_t> lines;  ///< where each begins
  int isa_major = 0, isa_minor = 0, capability = 0;
  std::vector<Kernel> kernels;
  std::vector<std::byte> variables;  ///< initial bytes of .global and .const ones

  std::string_view line(int number) const;
  const Kernel& kernel(std::string_view name) const;  ///< Error with the names there are
};

/// Where the module's own variables stand while a kernel runs.
inline constexpr uint64_t kModuleVariables = uint64_t{1} << 42;

}  // namespace gatefold::ptx
