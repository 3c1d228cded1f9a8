#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <memory>

#include "bench/interleaved.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/roof_json.h"
#include "cli/run_options.h"
#include "generator/library.h"
#include "spec/error.h"
#include "spec/shape_flags.h"
#include "tuning/host.h"
#include "tuning/roofline.h"

namespace gatefold::cli {
namespace {

struct Options {
  std::string library, rows = "1,4,16,64,256", vs = "unfused", isa, shape, peers;
  int threads = 0;
  double seconds = 3;
  bool warm = false;
  bool json = false;
};

/// What only a cell that ran has; null in the others.
Json figures(const BenchCell& c) {
  const auto known = [&](double value) { return c.ran ? number_or_null(value) : Json(nullptr); };
  const auto of_ratio = [&](double Paired::*part) {
    return c.ratio ? number_or_null((*c.ratio).*part) : Json(nullptr);
  };
  return {{"median_ms", known(c.median_ms)},
          {"min_ms", known(c.min_ms)},
          {"efficiency", number_or_null(c.efficiency)},
          {"roofline_ms", known(c.roofline_ms)},
          {"bound", c.bound},
          {"ratio", of_ratio(&Paired::ratio)},
          {"ratio_low", of_ratio(&Paired::low)},
          {"ratio_high", of_ratio(&Paired::high)},
          {"rounds", c.ratio ? Json(c.ratio->rounds) : Json(nullptr)},
          {"rel_l2", known(c.rel_l2)}};
}

Json json_of(const BenchResult& result, const Contest& contest) {
  Json cells = Json::array();
  for (const BenchCell& c : result.cells) {
    Json cell = {{"impl", c.impl},
                 {"rows", c.rows},
                 {"threads", contest.threads},
                 {"dtype", info(contest.ffn.dtype).name},
                 {"act_dtype", info(contest.ffn.act()).name},
                 {"weights", result.cold ? "cold" : "warm"}};
    cell.update(figures(c));
    cell.update({{"ran", c.ran},
                 {"output_ok", c.output_ok},
                 {"ok", c.ok},
                 {"note", c.note},
                 {"kernel", c.kernel}});
    cells.push_back(std::move(cell));
  }
  return {{"roof", roof_json(result.roof)},
          {"best_roof", roof_json(result.best_roof)},
          {"variant", contest.ffn.variant.name},
          {"formula", contest.ffn.variant.formula()},
          {"d_model", contest.ffn.shape.d_model},
          {"d_ff", contest.ffn.shape.d_ff},
          {"isa", contest.isa},
          {"copies", result.copies},
          {"cells", cells}};
}

/// "1.230x (1.200 to 1.260)", or what of it is known.
std::string against_ours(const BenchCell& c) {
  if (!c.ratio) return c.ran ? "1" : "-";
  const std::string ratio = fmt::format("{:.3f}x", c.ratio->ratio);
  if (!std::isfinite(c.ratio->high)) return ratio;
  return ratio + fmt::format(" ({:.3f} to {:.3f})", c.ratio->low, c.ratio->high);
}

void print_table(const BenchResult& result, const Contest& contest) {
  print_line(fmt::format("{} {} on {}, {} threads, weights {}", contest.ffn.variant.name,
                         contest.ffn.shape.text(), contest.isa, contest.threads,
                         result.cold ? "cold" : "warm"));
  const auto roof_text = [](const Roof& roof) {
    return fmt::format("{:.1f} GFLOP/s f32, {:.1f} bf16, {:.1f} GB/s read", roof.f32_gflops,
                       roof.bf16_gflops, roof.read_gbps);
  };
  print_line("roof: " + roof_text(result.roof) + " (best: " + roof_text(result.best_roof) + ")");
  Table table(
      {">rows", "impl", ">median ms", ">min ms", ">efficiency", "bound", ">vs gatefold", "ok"});
  const auto ms = [](const BenchCell& c, double value) {
    return c.ran ? ms_text(value) : std::string("-");
  };
  for (const BenchCell& c : result.cells) {
    table.add({std::to_string(c.rows), c.impl, ms(c, c.median_ms), ms(c, c.min_ms),
               ratio_text(c.efficiency), c.ran ? c.bound : "-", against_ours(c),
               c.ok ? "yes" : c.note});
  }
  table.print();
}

void note_coldness(const Options& o, const BenchResult& result) {
  if (o.warm || result.cold) return;
  print_note(fmt::format("{} copies of the weights still fit the last cache: figures are warm",
                         result.copies));
}

std::filesystem::path peers_folder(const Options& o) {
  const auto usual = std::filesystem::path(program_directory()) / "peers";
  if (o.peers.empty()) return usual;
  if (std::filesystem::is_directory(o.peers)) return o.peers;
  fail_usage("--peers: '" + o.peers + "' is no folder; bench/run_peers.sh makes and fills one");
}

/// What it compares with is measured on this machine's cores and memory.
void refuse_device(const std::string& isa) {
  const TargetInfo& target = target_named(isa);
  if (target.device == Device::cpu) return;
  fail_usage("--isa: '" + isa + "' is of a device (" + name(target.device) +
             "), wanted one of a CPU: `bench` times no others");
}

int run(const Options& o) {
  const std::vector<ContenderInfo> others = contenders_named(o.vs, peers_folder(o));
  const std::vector<int64_t> rows = parse_rows(o.rows);
  check_isa_name(o.isa);
  const LoadedLibrary library(o.library);
  Progress progress;
  const auto show = [&progress](const std::string& what) { progress.show(what); };
  const Contest contest{.library = library,
                        .ffn = with_shape(library.ffn(), o.shape),
                        .isa = library.target_in_use(o.isa),
                        .rows = rows,
                        .threads = threads_in_use(o.threads),
                        .emitter = default_emitter(),
                        .progress = show,
                        .stop = &interrupt_flag()};
  refuse_device(contest.isa);
  const BenchOptions options{.cold = !o.warm, .seconds = o.seconds, .stop = &interrupt_flag()};
  const BenchResult result = run_interleaved(contest, others, options);
  progress.clear();
  if (result.cells.empty()) throw_if_interrupted();
  if (o.json) {
    print_json(json_of(result, contest));
  } else {
    print_table(result, contest);
  }
  note_coldness(o, result);
  throw_if_interrupted();
  // A competitor's fault is shown, but it is not ours.
  const bool ok = std::all_of(result.cells.begin(), result.cells.end(),
                              [](const BenchCell& c) { return c.ok || !c.own; });
  return ok ? 0 : static_cast<int>(ErrorKind::failed);
}

}  // namespace

void add_bench_command(CLI::App& app, Action& action) {
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("bench", "Times a library against others, interleaved");
  command->add_option("--library", o->library, "manifest NAME.json")->required();
  command->add_option("--rows", o->rows, "row counts, ascending")->capture_default_str();
  command->add_option("--threads", o->threads, kThreadsHelp)->check(CLI::Range(1, 1024));
  command->add_flag("--warm", o->warm, "one copy of the weights, as it stays in the cache");
  command->add_option("--vs", o->vs, "unfused, all, none or a list")->capture_default_str();
  command->add_option("--peers", o->peers,
                      "folder of the competitors, filled by bench/run_peers.sh (default: peers "
                      "beside this program)");
  command->add_option("--isa", o->isa, kIsaHelp);
  command->add_option("--shape", o->shape, "D_MODELxD_FF, if the library leaves sizes open");
  command->add_option("--seconds", o->seconds, "of each row count, all contenders together")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  command->add_flag("--json", o->json, "one JSON object on stdout");
  command->footer("Example:\n  gatefold bench --library lib/k.json --rows 1,16,192 --threads 1");
  command->callback([o, &action] { action = [o] { return run(*o); }; });
}

}  // namespace gatefold::cli
