#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <tuple>

#include "generator/emit.h"
#include "generator/process.h"
#include "schedules/space.h"
#include "spec/machine.h"
#include "tuning/assembly_check.h"
#include "tuning/cost_model.h"
#include "tuning/cost_tile.h"
#include "tuning/disassembler.h"
#include "tuning/pruning.h"
#include "tuning/run_folder.h"

namespace gatefold::test {
namespace {

/// All that decides a kernel's hot loops: panel, streams, rows, lines of an iteration, how x is
/// packed, whether it prefetches. The control's are not among them: its tiles of two streams are
/// the same, and 12 rows by one panel of 8 columns make 0.889 where those by two of 4 make 0.895.
using Tile = std::tuple<int, int, int, int, int, bool>;

Tile tile_of(const KernelSpec& k) {
  const SchedulePoint& p = k.point;
  return {k.packing.panel, p.streams, p.mr, p.unroll, p.xpack, p.pf > 0};
}

/// The hot loops of one kernel, all together.
struct Count {
  KernelSpec kernel;
  int multiply_adds = 0, instructions = 0, loops = 0;
  size_t stack = 0;

  double ratio() const { return instructions ? double(multiply_adds) / instructions : 0; }
};

Count count(const KernelSpec& kernel) {
  const RunFolder folder;
  emit_kernel(kernel, "kernel", folder.path() / "k.o", {});
  Count c{kernel};
  for (const Loop& loop :
       hot_loops(disassembly_of(folder.path() / "k.o", Arch::arm64, folder.path(), nullptr),
                 Arch::arm64)) {
    c.multiply_adds += loop.multiply_adds();
    c.instructions += static_cast<int>(loop.instructions.size());
    c.stack += loop.stack_references().size();
    ++c.loops;
  }
  return c;
}

KernelSpec place_of(int64_t rows) {
  KernelSpec place;
  // Small enough for its hidden layer to stay in every core's cache.
  place.ffn = {variant_named("swiglu"), DType::f32, {1024, 2816}, false};
  place.target = Target::arm64_neon;
  place.rows = {rows, rows, rows};
  return place;
}

/// Every tile of the space, by compiling one kernel for each; prefetches only add instructions.
std::map<Tile, Count> count_all() {
  std::map<Tile, Count> counts;
  KernelSpec kernel = place_of(96);
  for (const Packing& packing : legal_packings(kernel.ffn, kernel.target)) {
    kernel.packing = packing;
    for (const SchedulePoint& point : legal_points(kernel)) {
      kernel.point = point;
      if (point.fusion != Fusion::gated || point.pf > 0) continue;
      if (!counts.count(tile_of(kernel))) counts[tile_of(kernel)] = count(kernel);
    }
  }
  return counts;
}

/// What the cost model takes for the instructions of these loops: gate and up, and down.
double modelled_instructions(const Count& c) {
  const SchedulePoint& p = c.kernel.point;
  return p.unroll * c.loops * tile_work(c.kernel, p.xpack == 0).instructions;
}

std::string text_of(const Count& c) {
  char text[200];
  const SchedulePoint& p = c.kernel.point;
  std::snprintf(text, sizeof text,
                "%4d /%5d = %.3f  model %5.0f  stack %2zu  %2dx%d streams of %2d, "
                "unroll=%d xpack=%d%s",
                c.multiply_adds, c.instructions, c.ratio(), modelled_instructions(c), c.stack, p.mr,
                p.streams, c.kernel.packing.panel, p.unroll, p.xpack, p.pf > 0 ? " prefetch" : "");
  return text;
}

/// The table, best first; returns the best without references to the stack.
double print(const std::map<Tile, Count>& counts) {
  std::vector<Count> sorted;
  for (const auto& [tile, c] : counts) sorted.push_back(c);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Count& a, const Count& b) { return a.ratio() > b.ratio(); });
  double best = 0;
  std::printf("multiply-adds / instructions of the hot loops of %zu kernels\n", sorted.size());
  for (const Count& c : sorted) {
    std::printf("%s\n", text_of(c).c_str());
    if (c.stack == 0) best = std::max(best, c.ratio());
  }
  return best;
}

/// The model's choice over all packings.
KernelSpec choice(int64_t rows, const CpuProfile& cpu) {
  KernelSpec best = place_of(rows);
  double best_ms = INFINITY;
  for (const Packing& packing : legal_packings(best.ffn, best.target)) {
    KernelSpec kernel = place_of(rows);
    kernel.packing = packing;
    kernel.point = ranked_by_model(kernel, legal_points(kernel), cpu, 1).at(0);
    const double ms = predicted_ms(kernel, cpu, 1);
    if (ms < best_ms) best = kernel, best_ms = ms;
  }
  return best;
}

/// One test, since every case is a process of its own and the table takes long.
TEST(NeonModel, TakesATileThatMultipliesMost) {
  if (find_program("aarch64-linux-gnu-objdump").empty()) {
    GTEST_SKIP() << "aarch64-linux-gnu-objdump: not found (binutils-aarch64-linux-gnu)";
  }
  const std::map<Tile, Count> counts = count_all();
  const double best = print(counts);
  ASSERT_GT(best, 0.6);
  for (const auto& [tile, c] : counts) {
    if (c.stack > 0 || c.ratio() < 0.97 * best) continue;
    EXPECT_NEAR(modelled_instructions(c), c.instructions, 0.05 * c.instructions) << text_of(c);
  }
  // Rows that tiles of 4, 6, 8 and 12 divide, so that the tile's own work decides.
  for (const char* core : {"cortex-a76", "neoverse-n1", "neoverse-v2", "apple-m1"}) {
    for (const int64_t rows : {48, 96, 192}) {
      const KernelSpec chosen = choice(rows, cpu_profile_named(core));
      const auto known = counts.find(tile_of(chosen));
      const Count c = known == counts.end() ? count(chosen) : known->second;
      std::printf("%-12s %3d rows: %s\n", core, int(rows), text_of(c).c_str());
      EXPECT_EQ(c.stack, 0u) << core << ", " << chosen.point.text();
      EXPECT_GE(c.ratio(), 0.97 * best) << core << ", " << chosen.point.text();
    }
  }
}

}  // namespace
}  // namespace gatefold::test
