#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/report_html.h"
#include "cli/spec_options.h"
#include "formats/atomic_file.h"
#include "spec/error.h"
#include "tuning/fusion_ranges.h"
#include "tuning/host.h"
#include "tuning/joint_cost.h"
#include "tuning/race_report.h"
#include "tuning/trial_table.h"
#include "tuning/winners.h"

namespace gatefold::cli {
namespace {

struct Options {
  std::string db, html, trials;
  bool json = false;
};

std::string block_text(const FfnSpec& ffn) {
  return ffn.variant.name + " " + ffn.shape.text() + (ffn.bias ? " bias" : "") +
         (ffn.residual ? " residual" : "");
}

Json fusions_json(const std::vector<ReportCell>& report) {
  Json workloads = Json::array();
  for (const FusionRanges& w : fusion_ranges(report)) {
    Json ranges = Json::array();
    for (const FusionRange& r : w.ranges) {
      ranges.push_back({{"fusion", r.fusion},
                        {"rows_min", r.rows_min},
                        {"rows_max", r.rows_max},
                        {"vs_unfused", number_or_null(r.vs_unfused)}});
    }
    workloads.push_back({{"block", block_text(w.key.ffn)},
                         {"dtype", w.key.ffn.dtypes()},
                         {"formula", w.key.ffn.variant.formula()},
                         {"target", info(w.key.target).name},
                         {"cpu", w.key.cpu},
                         {"threads", w.key.threads},
                         {"ranges", ranges}});
  }
  return workloads;
}

void print_fusions(const std::vector<ReportCell>& report) {
  for (const FusionRanges& w : fusion_ranges(report)) {
    std::string text;
    for (const FusionRange& r : w.ranges) text += (text.empty() ? "" : ", ") + r.text();
    print_line(fmt::format("fastest fusion, {} {} on {} ({}), {} threads: {}",
                           block_text(w.key.ffn), w.key.ffn.dtypes(), info(w.key.target).name,
                           w.key.cpu, w.key.threads, text));
  }
}

/// How the cell's winner fits this machine, as `generate` would look it up; nothing for one that it
/// would not use.
std::optional<std::string> match_of(const ReportCell& cell) {
  static const WinnerQuery here = {.ffn = {}, .cpu = host_cpu_name()};
  if (cell.stale || cell.key.emulated) return std::nullopt;
  return name(cpu_match(here, cell.key.cpu));
}

/// Whether `generate` would use it here, in a word or two.
std::string standing_of(const ReportCell& cell) {
  if (cell.stale) return "stale";
  return cell.key.emulated ? "emulated" : "match " + match_of(cell).value_or("");
}

Json json_of(const std::vector<ReportCell>& report) {
  Json cells = Json::array();
  for (const ReportCell& c : report) {
    const FfnSpec& ffn = c.key.ffn;
    Json cell = {{"target", info(c.key.target).name},
                 {"variant", ffn.variant.name},
                 {"formula", ffn.variant.formula()}};
    cell.update(block_json(ffn));
    cell.update({{"rows", c.rows},
                 {"threads", c.key.threads},
                 {"winner", c.winner},
                 {"origin", c.origin},
                 {"match", match_of(c) ? Json(*match_of(c)) : Json()},
                 {"median_ms", number_or_null(c.median_ms)},
                 {"runner_up", c.runner_up.empty() ? Json() : Json(c.runner_up)},
                 {"margin_pct", number_or_null(c.margin_pct)},
                 {"joint_cost_pct", number_or_null(c.joint_cost_pct)},
                 {"speedup", number_or_null(c.speedup)},
                 {"vs_unfused", number_or_null(c.vs_unfused)},
                 {"efficiency", number_or_null(c.efficiency)},
                 {"bound", c.bound},
                 {"cpu", c.key.cpu},
                 {"at", c.at},
                 {"emulated", c.key.emulated},
                 {"stale", c.stale}});
    cells.push_back(std::move(cell));
  }
  return {{"cells", cells}, {"fusions", fusions_json(report)}};
}

/// The points, which are long, come after the figures.
void print_report(const std::vector<ReportCell>& report) {
  Table table({"block", "dtype", "target", ">rows", ">threads", ">median ms", ">efficiency",
               "bound", ">vs default", ">vs unfused", ">margin", ">joint cost",
               "fastest configuration"});
  for (const ReportCell& c : report) {
    const FfnSpec& ffn = c.key.ffn;
    table.add({block_text(ffn), ffn.dtypes(), info(c.key.target).name, std::to_string(c.rows),
               std::to_string(c.key.threads), ms_text(c.median_ms, c.key.emulated),
               ratio_text(c.efficiency), c.bound, ratio_text(c.speedup), ratio_text(c.vs_unfused),
               percent_text(c.margin_pct), percent_text(c.joint_cost_pct),
               c.winner + " (" + c.origin + ", " + standing_of(c) + ")"});
  }
  table.print();
}

bool wants_csv(const std::string& file) {
  if (file.ends_with(".csv")) return true;
  if (file.ends_with(".json")) return false;
  fail_usage("--trials: '" + file + "', wanted a file name that ends in .csv or .json");
}

void write_trials(Store& store, const std::string& file) {
  if (file.empty()) return;
  const bool csv = wants_csv(file);
  const TrialTable table = store.trial_table();
  write_file_atomically(file, csv ? trials_csv(table) : trials_json(table));
}

int run(const Options& options) {
  if (!options.trials.empty()) wants_csv(options.trials);  // before anything is read or written
  Store store(options.db, Store::Open::existing);
  const std::vector<ReportCell> report = report_cells(races_with_joint_costs(store));
  if (!options.html.empty()) {
    write_file_atomically(options.html, report_html(report, "gatefold: fastest configurations"));
  }
  write_trials(store, options.trials);
  if (options.json) {
    print_json(json_of(report));
  } else {
    print_report(report);
    print_fusions(report);
  }
  if (report.empty()) print_note(options.db + ": no finished race yet; `gatefold tune` adds them");
  return 0;
}

}  // namespace

void add_report_command(CLI::App& app, Action& action) {
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("report", "The fastest configuration per cell and why");
  command->add_option("--db", o->db, "tuning database")->required();
  command->add_option("--html", o->html, "writes the report as a page, too");
  command->add_option("--trials", o->trials,
                      "writes all trials, too: FILE.csv or FILE.json, see docs/formats.md");
  command->add_flag("--json", o->json, "one JSON object on stdout");
  command->footer("Example:\n  gatefold report --db tuning.db --html report.html");
  command->callback([o, &action] { action = [o] { return run(*o); }; });
}

}  // namespace gatefold::cli
