#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/output.h"
#include "gatefold/gatefold.h"
#include "spec/dtype.h"
#include "spec/gpu_profile.h"
#include "spec/machine.h"
#include "spec/names.h"
#include "spec/occupancy.h"
#include "spec/presets.h"
#include "spec/target.h"
#include "spec/variant.h"

namespace gatefold::cli {
namespace {

struct Options {
  std::string what;
  bool json = false;
};

struct Listing {
  Json items = Json::array();
  Table table;
};

/// Only the parameters that the variant has.
Json parameters(const Variant& v) {
  Json out = Json::object();
  if (v.activation == Activation::leaky_relu) out["slope"] = v.slope;
  if (v.activation == Activation::swish) out["alpha"] = v.alpha;
  if (v.gated) out["limit"] = v.limit, out["up_offset"] = v.up_offset;
  return out;
}

Listing list_variants() {
  Listing listing{.table = Table({"variant", ">matrices", "formula"})};
  for (const Variant& v : all_variants()) {
    listing.items.push_back({{"name", v.name},
                             {"gated", v.gated},
                             {"matrices", v.matrices()},
                             {"formula", v.formula()},
                             {"parameters", parameters(v)}});
    listing.table.add({v.name, std::to_string(v.matrices()), v.formula()});
  }
  return listing;
}

Listing list_dtypes() {
  Listing listing{.table = Table({"dtype", ">bytes", "note"})};
  for (const DTypeInfo& d : all_dtypes()) {
    listing.items.push_back({{"name", d.name}, {"bytes", d.bytes}, {"note", d.note}});
    listing.table.add({d.name, std::to_string(d.bytes), d.note});
  }
  return listing;
}

Listing list_targets() {
  Listing listing{.table = Table({"target", "usable here", ">vector bits", "bf16"})};
  for (const TargetInfo& t : all_targets()) {
    const bool usable = gf_isa_usable(t.name.c_str()) != 0;
    const std::string bf16 = t.bf16 == Bf16Path::dot ? "dot" : "widened";
    const bool cpu = t.device == Device::cpu;
    const int bits = t.vector_lanes * 32;
    listing.items.push_back({{"name", t.name},
                             {"device", name(t.device)},
                             {"architecture", info(t.arch).name},
                             {"usable", usable},
                             {"vector_bits", cpu ? Json(bits) : Json()},
                             {"bf16", bf16},
                             {"halide", t.halide}});
    listing.table.add({t.name, usable ? "yes" : "no", cpu ? std::to_string(bits) : "-", bf16});
  }
  return listing;
}

Listing list_presets() {
  Listing listing{
      .table = Table({"preset", "variant", ">d_model", ">d_ff", "biases", ">layers", "source"})};
  for (const Preset& p : all_presets()) {
    listing.items.push_back({{"name", p.name},
                             {"variant", p.variant},
                             {"d_model", p.d_model},
                             {"d_ff", p.d_ff},
                             {"bias", p.bias},
                             {"layers", p.layers},
                             {"source", p.source}});
    listing.table.add({p.name, p.variant, std::to_string(p.d_model), std::to_string(p.d_ff),
                       p.bias ? "yes" : "no", std::to_string(p.layers), p.source});
  }
  return listing;
}

/// What only the best target that a CPU runs tells of it; of a generic one nothing.
Json core_json(const CpuProfile& p) {
  if (!p.target) {
    return {{"architecture", nullptr},
            {"target", nullptr},
            {"vector_registers", nullptr},
            {"vector_bits", nullptr}};
  }
  const TargetInfo& best = info(*p.target);
  return {{"architecture", info(best.arch).name},
          {"target", best.name},
          {"vector_registers", best.vector_registers},
          {"vector_bits", best.vector_lanes * 32}};
}

std::vector<std::string> core_cells(const CpuProfile& p) {
  if (!p.target) return {"any", "-", "-"};
  const TargetInfo& best = info(*p.target);
  return {info(best.arch).name, best.name,
          fmt::format("{} x {} bits", best.vector_registers, best.vector_lanes * 32)};
}

/// What `generate --cpu` takes.
Listing list_cpus() {
  Listing listing{.table = Table({"cpu", "architecture", "best target", ">vector registers",
                                  ">L1 data", ">L2", ">L3"})};
  for (const CpuProfile& p : all_cpu_profiles()) {
    Json item = {{"name", p.name}};
    item.update(core_json(p));
    item.update(Json({{"l1d", p.l1d}, {"l2", p.l2}, {"l3", p.l3}}));
    listing.items.push_back(item);
    std::vector<std::string> cells = core_cells(p);
    cells.insert(cells.begin(), p.name);
    for (const int64_t size : {p.l1d, p.l2, p.l3}) cells.push_back(bytes_text(size));
    listing.table.add(cells);
  }
  return listing;
}

/// A peak by its data sheet: "19.5", "312", "989.4".
std::string peak_text(double per_second, double unit) {
  return fmt::format("{:.4g}", per_second / unit);
}

/// What `tune --gpu` takes.
Listing list_gpus() {
  Listing listing{
      .table = Table({"gpu", "board", ">capability", ">multiprocessors", ">MHz", ">memory GB/s",
                      ">L2", ">shared of one", ">f32 TFLOP/s", ">16-bit TFLOP/s"})};
  for (const GpuProfile& g : all_gpu_profiles()) {
    const MultiprocessorLimits& m = multiprocessor_limits(g.capability);
    listing.items.push_back({{"name", g.name},
                             {"board", g.board},
                             {"capability", g.capability},
                             {"multiprocessors", g.multiprocessors},
                             {"clock_hz", g.clock_hz},
                             {"memory_bytes_per_s", g.memory_bytes_per_s},
                             {"l2", g.l2_bytes},
                             {"f32_flops", g.f32_flops},
                             {"tensor_flops", g.tensor_flops},
                             {"warps", m.warps},
                             {"blocks", m.blocks},
                             {"registers", m.registers},
                             {"shared", m.shared_bytes},
                             {"shared_of_block", m.shared_bytes_of_block},
                             {"source", g.source}});
    listing.table.add({g.name, g.board, fmt::format("{:.1f}", g.capability / 10.0),
                       std::to_string(g.multiprocessors), peak_text(g.clock_hz, 1e6),
                       peak_text(g.memory_bytes_per_s, 1e9), bytes_text(g.l2_bytes),
                       bytes_text(m.shared_bytes), peak_text(g.f32_flops, 1e12),
                       peak_text(g.tensor_flops, 1e12)});
  }
  return listing;
}

struct Kind {
  std::string name;
  Listing (*list)();
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {{"variants", list_variants}, {"dtypes", list_dtypes},
                                        {"targets", list_targets},   {"presets", list_presets},
                                        {"cpus", list_cpus},         {"gpus", list_gpus}};
  return all;
}

int run(const Options& options) {
  const Listing listing = find_named(kinds(), options.what, "list").list();
  if (options.json) {
    print_json({{"items", listing.items}});
  } else {
    listing.table.print();
  }
  return 0;
}

}  // namespace

void add_list_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("list", "Variants, dtypes, targets, model presets, CPU and GPU profiles");
  command->add_option("what", options->what, "variants, dtypes, targets, presets, cpus or gpus")
      ->required();
  command->add_flag("--json", options->json, "one JSON object on stdout");
  command->footer("Example:\n  gatefold list presets");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace gatefold::cli
