#include <fmt/format.h>

#include "tests/ptx/block.h"
#include "tests/ptx/interpreter.h"
#include "tests/ptx/warp.h"

namespace gatefold::ptx {
namespace {

// What every GPU from sm_80 on takes; the shared memory is that of sm_90.
constexpr uint32_t kMostThreads = 1024, kMostShared = 227 * 1024, kMostBlocksInYz = 65535;

void check_parameters(const Kernel& kernel, const Launch& launch) {
  if (launch.parameters.size() != kernel.parameters.size()) {
    fail(fmt::format("kernel {}: {} parameters given, wanted {}", kernel.name,
                     launch.parameters.size(), kernel.parameters.size()));
  }
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const Parameter& parameter = kernel.parameters[i];
    if (launch.parameters[i].size() != parameter.bytes) {
      fail(fmt::format("kernel {}: parameter {} ({}) has {} bytes, wanted {}", kernel.name, i,
                       parameter.name, launch.parameters[i].size(), parameter.bytes));
    }
  }
}

void check_extents(const Kernel& kernel, const Launch& launch) {
  uint64_t threads = 1, most = 1;
  for (size_t i = 0; i < 3; ++i) {
    if (launch.grid[i] == 0 || launch.block[i] == 0 || launch.block[i] > kMostThreads ||
        (i > 0 && launch.grid[i] > kMostBlocksInYz)) {
      fail(
          fmt::format("kernel {}: dimension {} has {} blocks of {} threads, wanted 1 to {} blocks "
                      "of 1 to {}",
                      kernel.name, i, launch.grid[i], launch.block[i],
                      i > 0 ? kMostBlocksInYz : 0x7fffffffu, kMostThreads));
    }
    threads *= launch.block[i];
    most *= kernel.most_threads[i];
    if (kernel.required_threads[i] != 0 && kernel.required_threads[i] != launch.block[i]) {
      fail(fmt::format("kernel {}: {} threads in dimension {}, wanted {} (.reqntid)", kernel.name,
                       launch.block[i], i, kernel.required_threads[i]));
    }
  }
  const uint64_t allowed = most == 0 ? kMostThreads : most;
  if (threads > allowed) {
    fail(fmt::format("kernel {}: {} threads, wanted {} at most", kernel.name, threads, allowed));
  }
}

void check_shared(const Kernel& kernel, const Launch& launch) {
  uint64_t bytes = launch.shared_bytes;
  for (const SharedVariable& variable : kernel.shared) bytes += variable.bytes;
  if (bytes > kMostShared) {
    fail(fmt::format("kernel {}: {} bytes of shared memory, wanted {} at most", kernel.name, bytes,
                     kMostShared));
  }
}

/// The module's own variables are in memory for as long as this lives.
class LaunchedMemory {
 public:
  LaunchedMemory(Memory& memory, const Module& module) : memory_(memory) {
    memory.begin_launch(module.variables);
  }
  ~LaunchedMemory() { memory_.end_launch(); }

 private:
  Memory& memory_;
};

}  // namespace

Summary run(const Module& module, const std::string& entry, const Launch& launch, Memory& memory) {
  const Kernel& kernel = module.kernel(entry);
  check_extents(kernel, launch);
  check_parameters(kernel, launch);
  check_shared(kernel, launch);
  const LaunchedMemory launched(memory, module);
  Block block(module, kernel, launch, memory);
  Summary summary;
  for (uint32_t z = 0; z < launch.grid[2]; ++z) {
    for (uint32_t y = 0; y < launch.grid[1]; ++y) {
      for (uint32_t x = 0; x < launch.grid[0]; ++x) block.run({x, y, z}, summary);
    }
  }
  return summary;
}

}  // namespace gatefold::ptx
