#include "spec/occupancy.h"

#include <algorithm>
#include <array>

namespace gatefold {
namespace {

constexpr int64_t KiB = 1 << 10;

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability" and, for f32, the
// table of arithmetic throughput.
constexpr std::array kLimits = std::to_array<MultiprocessorLimits>({
    {80, 64, 32, 64 << 10, 255, 164 * KiB, 163 * KiB, 64},
    {86, 48, 16, 64 << 10, 255, 100 * KiB, 99 * KiB, 128},
    {89, 48, 24, 64 << 10, 255, 100 * KiB, 99 * KiB, 128},
    {90, 64, 32, 64 << 10, 255, 228 * KiB, 227 * KiB, 128},
});

constexpr int kMostThreads = 1024;
constexpr int kParts = 4;               // of a multiprocessor, each with a scheduler
constexpr int kRegisterUnit = 256;      // what a warp's registers are rounded up to
constexpr int64_t kSharedUnit = 128;    // what a block's shared memory is rounded up to
constexpr int64_t kSystemShared = KiB;  // of each block, from 8.0 on

template <typename T>
T round_up(T value, T unit) {
  return (value + unit - 1) / unit * unit;
}

int warps_of(const BlockResources& block) {
  return (block.threads + kWarpThreads - 1) / kWarpThreads;
}

int registers_of_warp(const BlockResources& block) {
  return round_up(std::max(1, block.registers) * kWarpThreads, kRegisterUnit);
}

std::string found(const char* what, int64_t value, int64_t most) {
  return std::string(what) + ": " + std::to_string(value) + ", wanted at most " +
         std::to_string(most);
}

/// Why not even one block can be launched; empty if it can. A block's warps count by four here,
/// since they are dealt out to the parts in turn.
std::string why_none(const BlockResources& b, const MultiprocessorLimits& m) {
  if (b.threads < 1) return "threads: " + std::to_string(b.threads) + ", wanted at least 1";
  if (b.threads > kMostThreads) return found("threads", b.threads, kMostThreads);
  if (b.registers > m.registers_of_thread) {
    return found("registers of a thread", b.registers, m.registers_of_thread);
  }
  const int registers = registers_of_warp(b) * round_up(warps_of(b), kParts);
  if (registers > m.registers) return found("registers of a block", registers, m.registers);
  if (b.shared_bytes > m.shared_bytes_of_block) {
    return found("shared memory of a block", b.shared_bytes, m.shared_bytes_of_block);
  }
  return {};
}

/// Blocks whose warps find room in the parts' registers.
int blocks_by_registers(const BlockResources& b, const MultiprocessorLimits& m) {
  const int warps_of_part = m.registers / kParts / registers_of_warp(b);
  return warps_of_part * kParts / warps_of(b);
}

}  // namespace

const MultiprocessorLimits& multiprocessor_limits(int capability) {
  const auto above = std::find_if(kLimits.begin() + 1, kLimits.end(),
                                  [&](const auto& m) { return m.capability > capability; });
  return *(above - 1);
}

Occupancy occupancy(const BlockResources& block, int capability) {
  const MultiprocessorLimits& m = multiprocessor_limits(capability);
  if (std::string why = why_none(block, m); !why.empty()) return {0, 0, std::move(why)};
  const int64_t shared = round_up(block.shared_bytes + kSystemShared, kSharedUnit);
  Occupancy most{m.blocks, 0, "blocks"};
  const auto limit = [&](int blocks, const char* what) {
    if (blocks < most.blocks) most = {blocks, 0, what};
  };
  limit(m.warps / warps_of(block), "warps");
  limit(blocks_by_registers(block, m), "registers");
  limit(static_cast<int>(m.shared_bytes / shared), "shared memory");
  most.warps = most.blocks * warps_of(block);
  return most;
}

}  // namespace gatefold
