#include <algorithm>

#include "schedules/cuda_space.h"
#include "tuning/gpu_launch_parts.h"

namespace gatefold::gpu {
namespace {

constexpr int kLine = 128;      // bytes that L1 gives a warp at once
constexpr int kLoadBytes = 16;  // of one thread
constexpr int kLoadRegisters = 4;
/// Addresses, counters and x beside sums and loads: ptxas 13.0 takes 32 registers for one row by
/// two streams of f32 on sm_80, where 24 loads stand in a row in the PTX.
constexpr int kKept = 14;
/// Of a loop's end and its addresses, for each turn.
constexpr double kLoopInstructions = 12;
constexpr int kPlainRegisters = 20;  // of kernels that go over elements; ptxas 13.0: 10 to 20
constexpr int kPlainThreads = 256;

/// One product of Halide's kernels.
struct Product {
  const char* name;
  const char* entry;
  int streams;         ///< of one thread
  int64_t groups;      ///< of panels
  int64_t lines;       ///< of k
  int64_t parts;       ///< of k over the grid
  double input_bytes;  ///< of one value of k and one row
  bool input_is_packed;
};

class Launches {
 public:
  Launches(const KernelSpec& kernel, int64_t l2_bytes)
      : k_(kernel), p_(kernel.point), l2_bytes_(l2_bytes) {
    tiles_ = ceil_div(std::max<int64_t>(1, k_.rows.tuned_rows), p_.mr);
    row_blocks_ = ceil_div(tiles_, device::tiles_of_block(k_));
  }

  std::vector<GpuLaunch> all();

 private:
  GpuLaunch product(const Product& p) const;
  GpuLaunch elements(const char* name, const char* entry, double values, double read_bytes,
                     double written_bytes, double memory_bytes) const;
  void add_first(std::vector<GpuLaunch>& launches) const;
  void count_thread(const Product& p, GpuLaunch& launch) const;
  double padded_rows() const { return double(tiles_) * p_.mr; }
  double hidden_bytes() const {
    return padded_rows() * double(packed_panels(k_.packing, k_.ffn.shape.d_ff)) * k_.packing.panel *
           4;
  }

  const KernelSpec& k_;
  const SchedulePoint& p_;
  int64_t l2_bytes_;
  int64_t tiles_ = 1, row_blocks_ = 1;
};

/// The instructions of a thread for all its k, and what it waits for.
void Launches::count_thread(const Product& p, GpuLaunch& launch) const {
  const int pair = k_.packing.pair, ahead = device::words_ahead(k_);
  const double words = double(ceil_div(ceil_div(p.lines, p.parts), p_.ks)) * k_.packing.k_step;
  const bool widened = k_.ffn.dtype != DType::f32;
  // The caller's rows have edges: every value is loaded by itself, selected, and 16 bits widened.
  const double values = double(p_.mr) * pair;
  const double row_loads = p.input_is_packed ? values * p.input_bytes / kLoadBytes : values;
  const double row_changes = p.input_is_packed ? 0 : values * (p.input_bytes < 4 ? 3 : 2);
  const double fma = double(p_.mr) * p.streams * pair;
  const double weights = widened ? p.streams * (1.0 + pair) : p.streams;
  const double warps = double(launch.block.threads) / kWarpThreads;
  BlockWork& work = launch.work;
  work.fma = warps * words * fma;
  work.issued =
      warps * words * (fma + weights + row_loads + row_changes + kLoopInstructions / ahead);
  // A warp's weights are 512 bytes in a row; all its threads read the same 16 bytes of a row.
  const double lines_of_load = double(kLoadBytes) * kWarpThreads / kLine;
  work.lines = warps * words * (p.streams * lines_of_load + row_loads);
  work.loads = words * p.streams;
  work.loads_ahead = double(ahead) * p.streams;
}

GpuLaunch Launches::product(const Product& p) const {
  GpuLaunch launch{p.name, p.entry};
  const int panel = k_.packing.panel, tiles = device::tiles_of_block(k_);
  const int sums = p_.mr * p.streams;
  launch.blocks = p.groups * row_blocks_ * p.parts;
  launch.block.threads = device::threads_of_block(k_);
  launch.block.registers = device::estimated_registers(k_);
  launch.block.shared_bytes = p_.ks > 1 ? int64_t{4} * launch.block.threads * sums : 0;
  launch.kept_registers = sums + kKept;
  launch.load_registers = kLoadRegisters;
  count_thread(p, launch);
  const double k = double(p.lines) * k_.packing.k_step * k_.packing.pair;
  const double weights = k * p.streams * panel * info(k_.ffn.dtype).bytes;  // of one group
  const double input = k * tiles * p_.mr * p.input_bytes;                   // of one row block
  launch.work.read_bytes = (weights + input) / double(p.parts);
  launch.work.written_bytes = double(tiles) * p_.mr * p.streams * panel * 4;
  const double all_input = input * double(row_blocks_),
               all_sums = launch.work.written_bytes * double(launch.blocks);
  launch.input_bytes = all_input;
  launch.column_groups = p.groups;
  launch.memory_bytes = weights * double(p.groups) + from_memory(all_input, l2_bytes_) +
                        from_memory(all_sums, l2_bytes_);
  return launch;
}

/// A kernel that goes over elements once.
GpuLaunch Launches::elements(const char* name, const char* entry, double values, double read_bytes,
                             double written_bytes, double memory_bytes) const {
  GpuLaunch launch{name, entry};
  launch.blocks = std::max<int64_t>(1, int64_t(values) / kPlainThreads);
  launch.block = {kPlainThreads, kPlainRegisters, 0};
  launch.memory_bytes = memory_bytes;
  const double share = 1 / double(launch.blocks);
  launch.work.read_bytes = read_bytes * share;
  launch.work.written_bytes = written_bytes * share;
  launch.work.lines = (read_bytes + written_bytes) * share / kLine;
  launch.work.issued = 16.0 * kPlainThreads / kWarpThreads;
  launch.work.loads = 1;
  return launch;
}

void Launches::add_first(std::vector<GpuLaunch>& launches) const {
  const FfnSpec& ffn = k_.ffn;
  const int64_t panels = packed_panels(k_.packing, ffn.shape.d_ff);
  const int64_t lines = packed_lines(k_.packing, ffn.shape.d_model);
  const bool packed = p_.xpack == 1;
  const double x_bytes = packed ? 4 : info(ffn.act()).bytes;
  const bool together = ffn.variant.gated && p_.fusion != Fusion::unfused;
  const int64_t groups = ceil_div(panels, together ? p_.streams / 2 : p_.streams);
  if (p_.fusion != Fusion::unfused) {
    launches.push_back(product({ffn.variant.gated ? "gate/up" : "up", "_hidden_", p_.streams,
                                groups, lines, 1, x_bytes, packed}));
    return;
  }
  if (ffn.variant.gated) {
    launches.push_back(product({"gate", "_gate_", p_.streams, groups, lines, 1, x_bytes, packed}));
  }
  launches.push_back(product({"up", "_up_", p_.streams, groups, lines, 1, x_bytes, packed}));
  const double in = (ffn.variant.gated ? 2 : 1) * hidden_bytes();
  launches.push_back(elements("activation", "_hidden_", hidden_bytes() / 4, in, hidden_bytes(),
                              from_memory(in + hidden_bytes(), l2_bytes_)));
}

std::vector<GpuLaunch> Launches::all() {
  std::vector<GpuLaunch> launches;
  const FfnSpec& ffn = k_.ffn;
  const double x = rows_bytes(k_), packed_x = padded_rows() * double(ffn.shape.d_model) * 4;
  if (p_.xpack == 1) {
    launches.push_back(elements("x", "_x_packed_", packed_x / 4, x, packed_x, x));
  }
  const size_t first = launches.size();
  add_first(launches);
  if (p_.xpack == 0) launches[first].memory_bytes += x;
  const int64_t parts = device::slices_of_grid(k_);
  const int64_t panels = packed_panels(k_.packing, ffn.shape.d_model);
  launches.push_back(product({"down", "_down_", p_.streams, ceil_div(panels, p_.streams),
                              packed_lines(k_.packing, ffn.shape.d_ff), parts, 4, true}));
  const double sums = padded_rows() * double(panels) * k_.packing.panel * 4 * double(parts);
  launches.push_back(elements("y", "_y_", double(k_.rows.tuned_rows) * double(ffn.shape.d_model),
                              sums + output_bytes(k_) - x, x,
                              output_bytes(k_) + from_memory(sums, l2_bytes_)));
  return launches;
}

}  // namespace

std::vector<GpuLaunch> thread_launches(const KernelSpec& kernel, int64_t l2_bytes) {
  return Launches(kernel, l2_bytes).all();
}

}  // namespace gatefold::gpu
