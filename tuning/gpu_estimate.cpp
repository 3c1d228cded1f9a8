#include "tuning/gpu_estimate.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "tuning/gpu_constants.h"

namespace gatefold {
namespace {

constexpr double kFlopsOfMma = 2 * 16 * 8 * 16;
constexpr double kSchedulers = 4;  // of a multiprocessor; each has a tensor core and takes one
                                   // instruction a clock
/// How sharply the slowest part prevails over the others: they overlap, not wholly.
constexpr double kNorm = 4;

struct Term {
  const char* name;
  double seconds;
};

/// One launch on one device.
class Waves {
 public:
  Waves(const GpuLaunch& launch, const GpuProfile& gpu, const Occupancy& occupancy)
      : l_(launch), gpu_(gpu), c_(gpu_constants(gpu.capability)), occupancy_(occupancy) {}

  LaunchEstimate estimate() const;

 private:
  double at_once() const { return double(gpu_.multiprocessors) * occupancy_.blocks; }
  double loads_ahead() const;
  double memory_bytes() const;
  double latency_s() const;
  double cycles(double blocks_of_one) const;
  std::array<Term, 6> terms(double blocks) const;
  double wave_s(double blocks) const;

  const GpuLaunch& l_;
  const GpuProfile& gpu_;
  const GpuConstants& c_;
  const Occupancy& occupancy_;
};

/// Loads of a thread that are under way at once: registers that are not there cannot be loaded
/// into.
double Waves::loads_ahead() const {
  if (l_.load_registers == 0) return l_.work.loads_ahead;
  const double free = std::max(0, l_.block.registers - l_.kept_registers);
  return std::clamp(std::floor(free / l_.load_registers), 1.0, l_.work.loads_ahead);
}

/// Of a load on the average: weights that neighbouring blocks read too come from memory once.
double Waves::latency_s() const {
  const double all = l_.work.read_bytes * double(l_.blocks);
  const double missed = all > 0 ? std::min(1.0, memory_bytes() / all) : 1;
  return missed * c_.memory_latency_s + (1 - missed) * c_.l2_latency_s;
}

/// An input that L2 does not hold is read again by each wave of other columns.
double Waves::memory_bytes() const {
  if (2 * l_.input_bytes <= double(gpu_.l2_bytes)) return l_.memory_bytes;
  const double passes =
      std::min(std::ceil(double(l_.blocks) / at_once()), double(l_.column_groups));
  return l_.memory_bytes + (passes - 1) * l_.input_bytes;
}

/// What each unit takes with so many blocks, of which the busiest multiprocessor has
/// `ceil(blocks / multiprocessors)`.
std::array<Term, 6> Waves::terms(double blocks) const {
  const BlockWork& w = l_.work;
  const double sms = gpu_.multiprocessors, clock = gpu_.clock_hz;
  const double of_one = std::ceil(blocks / sms), busy = std::min(blocks, sms);
  const double warps = of_one * std::ceil(l_.block.threads / double(kWarpThreads));
  const double schedulers = std::min(1.0, warps / kSchedulers);
  const double fma_rate = gpu_.f32_flops / 2 / sms / clock / kWarpThreads;
  const double mma_rate = gpu_.tensor_flops * c_.mma_share / kFlopsOfMma / sms / clock;
  // A warp's chains wait for their own sums; the warps of one scheduler take turns.
  const double wait = c_.mma_latency * mma_rate / kSchedulers;
  const double chains = std::min(1.0, std::max(1.0, warps / kSchedulers) * w.mma_chains / wait);
  const double loads = w.loads / loads_ahead();
  return {
      {{"latency", loads * latency_s()},
       {"memory",
        blocks / double(l_.blocks) * memory_bytes() / (gpu_.memory_bytes_per_s * c_.memory_share)},
       {"l2", blocks * (w.read_bytes + w.written_bytes) / (busy * c_.l2_bytes_per_clock * clock)},
       {"instructions", of_one * w.issued / (kSchedulers * schedulers) / clock},
       {"f32", of_one * w.fma / (fma_rate * schedulers) / clock},
       {w.mma > 0 ? "tensor cores" : "lines",
        w.mma > 0 ? of_one * std::max(w.mma / (mma_rate * schedulers * chains), w.lines) / clock
                  : of_one * w.lines / clock}}};
}

/// Of blocks that start together. The first loads of each find nothing to overlap with, but for
/// other blocks on the same multiprocessor.
double Waves::wave_s(double blocks) const {
  double sum = 0;
  for (const Term& term : terms(blocks)) sum += std::pow(term.seconds, kNorm);
  const double of_one = std::ceil(blocks / gpu_.multiprocessors);
  return std::pow(sum, 1 / kNorm) + c_.memory_latency_s / of_one;
}

LaunchEstimate Waves::estimate() const {
  LaunchEstimate e{l_.name, l_.block, occupancy_, l_.blocks};
  const double blocks = double(l_.blocks), full = std::floor(blocks / at_once());
  const double rest = blocks - full * at_once(), first = std::min(blocks, at_once());
  double seconds = full > 0 ? full * wave_s(at_once()) : 0;
  if (rest > 0) seconds += wave_s(rest);
  e.waves = blocks / at_once();
  const double ahead = std::min(loads_ahead(), l_.work.loads);
  e.bytes_in_flight = std::ceil(first / gpu_.multiprocessors) * ahead * l_.work.read_bytes /
                      std::max(1.0, l_.work.loads);
  e.ms = (seconds + c_.launch_s) * 1e3;
  const auto all = terms(first);
  const Term& most = *std::max_element(
      all.begin(), all.end(), [](const Term& a, const Term& b) { return a.seconds < b.seconds; });
  e.bound = most.seconds < c_.launch_s && seconds < 2 * c_.launch_s ? "launch" : most.name;
  return e;
}

/// The counts of the assembler in place of the estimates.
std::optional<std::string> take_entries(const std::vector<EntryResources>& entries,
                                        std::vector<GpuLaunch>& launches) {
  const std::vector<EntryResources> in_order = entries_of(launches, entries);
  for (size_t i = 0; i < launches.size(); ++i) {
    if (auto reason = why_refused(in_order[i])) return reason;
    launches[i].block.registers = in_order[i].registers;
    launches[i].block.shared_bytes += in_order[i].shared_bytes;
  }
  return {};
}

}  // namespace

double gpu_roof_ms(const KernelSpec& kernel, const GpuProfile& gpu) {
  const bool tensor_cores = !why_no_tensor_cores(kernel);
  const double rate = tensor_cores ? gpu.tensor_flops : gpu.f32_flops;
  return 1e3 *
         std::max(least_memory_bytes(kernel) / gpu.memory_bytes_per_s, least_flops(kernel) / rate);
}

GpuEstimate gpu_estimate(const DevicePoint& point, const GpuProfile& gpu,
                         const std::vector<EntryResources>& entries) {
  GpuEstimate estimate;
  estimate.roof_ms = gpu_roof_ms(point.kernel, gpu);
  std::vector<GpuLaunch> launches = launches_of(point, gpu.l2_bytes);
  if (!entries.empty()) {
    estimate.registers = kAssembledRegisters;
    estimate.refused = take_entries(entries, launches);
  }
  for (const GpuLaunch& launch : launches) {
    if (estimate.refused) return estimate;
    const Occupancy on_one = occupancy(launch.block, gpu.capability);
    if (on_one.blocks == 0) {
      estimate.refused = launch.name + ": " + on_one.limit;
      return estimate;
    }
    estimate.launches.push_back(Waves(launch, gpu, on_one).estimate());
    estimate.ms += estimate.launches.back().ms;
  }
  return estimate;
}

}  // namespace gatefold
