#include "tuning/sweep_plan.h"

#include <algorithm>
#include <set>

#include "spec/presets.h"
#include "tuning/budget.h"
#include "tuning/tune_request.h"

namespace gatefold {
namespace {

struct Block {
  Variant variant;
  Shape shape;
  std::vector<bool> bias;
};

std::vector<Block> blocks_of(const SweepFile& file) {
  std::vector<Block> blocks;
  const auto bias = [&](bool usual) {
    return file.bias.empty() ? std::vector<bool>{usual} : file.bias;
  };
  for (const std::string& name : file.presets) {
    const Preset& p = preset_named(name);
    blocks.push_back({variant_named(p.variant), {p.d_model, p.d_ff}, bias(p.bias)});
  }
  for (const std::string& name : file.variants) {
    for (const Shape& shape : file.sizes) {
      blocks.push_back({variant_named(name), shape, bias(false)});
    }
  }
  return blocks;
}

/// Every block with each of the types, biases and residual, none twice.
class Blocks {
 public:
  Blocks(const SweepFile& file, SweepPlan& plan) : file_(file), plan_(plan) {
    for (const Block& block : blocks_of(file)) {
      for (const bool bias : block.bias) {
        for (const bool residual : file.residual) add_dtypes(block, bias, residual);
      }
    }
  }
  const std::vector<FfnSpec>& ffns() const { return ffns_; }

 private:
  void add_dtypes(const Block& block, bool bias, bool residual) {
    for (const DType dtype : file_.dtypes) {
      FfnSpec ffn;
      ffn.variant = block.variant;
      ffn.shape = block.shape;
      ffn.dtype = dtype;
      ffn.bias = bias;
      ffn.residual = residual;
      if (file_.act_dtypes.empty()) add_sums(ffn);
      for (const DType act : file_.act_dtypes) add_activations(ffn, act);
    }
  }
  void add_activations(FfnSpec ffn, DType act) {
    unless_refused(describe(ffn) + " with " + info(act).name + " activations", [&] {
      set_act_dtype(ffn, act, "act_dtypes");
      add_sums(ffn);
    });
  }
  void add_sums(const FfnSpec& ffn) {
    for (const DType sums : file_.accumulate) {
      unless_refused(describe(ffn) + " with sums in " + info(sums).name, [&] {
        FfnSpec wanted = ffn;
        set_accumulate(wanted, sums, "accumulate");
        add(wanted);
      });
    }
  }
  template <typename Add>
  void unless_refused(const std::string& what, Add add) {
    try {
      add();
    } catch (const Error& e) {
      if (seen_.insert(what).second) plan_.left_out.push_back({what, e.what(), e.kind()});
    }
  }
  void add(const FfnSpec& ffn) {
    if (seen_.insert(describe(ffn)).second) ffns_.push_back(ffn);
  }

  static std::string describe(const FfnSpec& ffn) {
    return ffn.variant.name + " " + ffn.shape.text() + " " + ffn.dtypes() + additions(ffn);
  }

  const SweepFile& file_;
  SweepPlan& plan_;
  std::vector<FfnSpec> ffns_;
  std::set<std::string> seen_;
};

/// Whether it can be tuned here does not depend on the threads.
void add_cells(SweepPlan& plan, const FfnSpec& ffn, const SweepFile& file, TuneRequest& request) {
  for (const Target target : file.targets) {
    request.ffn = ffn;
    request.target = target;
    try {
      check_block(request);
    } catch (const Error& e) {
      const SweepCell cell{ffn, target, 0};
      plan.left_out.push_back({cell.text(), e.what(), e.kind()});
      continue;
    }
    for (const int threads : file.threads) plan.cells.push_back({ffn, target, threads});
  }
}

[[noreturn]] void nothing_left(const SweepPlan& plan, const std::string& name) {
  const LeftOut& first = plan.left_out.at(0);
  const bool elsewhere =
      std::all_of(plan.left_out.begin(), plan.left_out.end(),
                  [](const LeftOut& l) { return l.kind == ErrorKind::unavailable; });
  throw Error(elsewhere ? ErrorKind::unavailable : ErrorKind::usage,
              name + ": none of " + std::to_string(plan.left_out.size()) +
                  " combinations can be tuned here; the first, " + first.what + ": " + first.why);
}

/// With a cap far above any that can be asked for, so that no product overflows.
int64_t times(int64_t a, size_t b) {
  constexpr int64_t kMost = int64_t{1} << 50;
  return b == 0 ? a : a > kMost / static_cast<int64_t>(b) ? kMost : a * static_cast<int64_t>(b);
}

}  // namespace

std::string SweepCell::text() const {
  return ffn.variant.name + " " + ffn.shape.text() + " " + ffn.dtypes() + additions(ffn) + " on " +
         info(target).name +
         (threads == 0   ? ""
          : threads == 1 ? ", 1 thread"
                         : ", " + std::to_string(threads) + " threads");
}

WorkloadKey workload_of(const SweepCell& cell, const std::string& cpu) {
  WorkloadKey key;
  key.cpu = cpu;
  key.target = cell.target;
  key.ffn = cell.ffn;
  key.threads = cell.threads;
  key.emulated = is_emulated();  // a sweep measures here
  return key;
}

int64_t combinations(const SweepFile& file) {
  int64_t blocks = std::ssize(file.presets) + times(std::ssize(file.variants), file.sizes.size());
  for (const size_t n :
       {file.bias.size(), file.residual.size(), file.dtypes.size(), file.act_dtypes.size(),
        file.accumulate.size(), file.targets.size(), file.threads.size()}) {
    blocks = times(blocks, n);
  }
  return blocks;
}

SweepPlan plan_sweep(const SweepFile& file, int64_t most_cells, const std::string& name) {
  const int64_t all = combinations(file);
  if (all > most_cells) {
    const double least = static_cast<double>(all) * file.budget_s.value_or(kRaceSeconds);
    fail_usage(name + ": " + std::to_string(all) + " cells, which take " + duration_text(least) +
               " or more; wanted at most " + std::to_string(most_cells) +
               " (--most-cells allows more)");
  }
  SweepPlan plan;
  plan.rows = file.rows;
  TuneRequest request;
  request.rows = file.rows;
  const Blocks blocks(file, plan);
  for (const FfnSpec& ffn : blocks.ffns()) add_cells(plan, ffn, file, request);
  if (plan.cells.empty()) nothing_left(plan, name);
  return plan;
}

}  // namespace gatefold
