#include "tuning/sweep.h"
#include "tuning/strategy.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/sweep_report.h"
#include "cli/tune_report.h"
#include "formats/atomic_file.h"
#include "tuning/budget.h"
#include "tuning/winners.h"

namespace gatefold::cli {
namespace {

struct Options {
  std::string file, db;
  int64_t most_cells = 1000;
  bool dry_run = false, json = false;
};

std::string text_of(const SweepProgress& p) {
  return fmt::format("cell {} of {}, {} left: {}: {}", p.cell, p.cells,
                     duration_text(p.seconds_left), p.what, progress_text(p.tune));
}

TuneRequest base_request(const Options& o, Progress& progress) {
  TuneRequest base;
  base.database = o.db;
  base.cost_model = analytic_model();
  base.stop = &interrupt_flag();
  base.builder.stop = &interrupt_flag();
  base.lock.stop = &interrupt_flag();
  base.lock.waiting = [&progress](const std::string& whom) { progress.show(whom); };
  return base;
}

SweepWork work_of(const Options& o, const SweepPlan& plan, const SweepFile& file,
                  const std::string& cpu) {
  if (!std::filesystem::exists(o.db)) return work_left(plan, file, cpu, nullptr);
  Store store(o.db, Store::Open::existing);
  return work_left(plan, file, cpu, &store);
}

/// On stdout, unless that is for the JSON object.
void show_plan(const std::vector<std::string>& lines, bool json) {
  for (const std::string& line : lines) json ? print_note(line) : print_line(line);
  std::fflush(stdout);
}

int dry_run(const SweepPlan& plan, const SweepWork& work, bool json) {
  if (!json) {
    for (const SweepCell& cell : plan.cells) print_line("  " + cell.text());
    return 0;
  }
  Json planned = Json::array();
  for (const SweepCell& cell : plan.cells) planned.push_back(cell.text());
  print_json(
      {{"plan", plan_json(plan, work)}, {"planned", planned}, {"left_out", left_out_json(plan)}});
  return 0;
}

void export_winners(const std::string& file, const std::string& db) {
  if (file.empty()) return;
  Store store(db, Store::Open::existing);
  write_file_atomically(file, winners_json(winners_of(store)));
}

SweepTables tables_of(SweepResult result, const std::string& db) {
  Store store(db, Store::Open::existing);
  const std::vector<MeasuredCell> cells = measured_cells(store, result);
  return {std::move(result), leave_one_out(cells), distil(cells)};
}

void print_remarks(const SweepResult& result, const std::string& db) {
  for (const std::string& note : result.notes) print_note(note);
  for (const SweepCellResult& c : result.cells) {
    if (!c.error.empty()) print_note("failed: " + c.cell.text() + ": " + c.error);
  }
  if (result.failed() > 0) {
    print_stderr(fmt::format("gatefold: error: sweep: {} of {} cells failed\n", result.failed(),
                             result.cells.size()));
  }
  if (result.interrupted) {
    print_note("interrupted; " + db + " keeps what is finished, the same command goes on there");
  }
}

int run(const Options& o) {
  const SweepFile file = load_sweep(o.file);
  SweepRequest request{file, plan_sweep(file, o.most_cells, o.file), {}, {}};
  Progress progress;
  request.base = base_request(o, progress);
  request.progress = [&progress](const SweepProgress& p) { progress.show(text_of(p)); };
  const SweepWork work = work_of(o, request.plan, file, request.base.cpu_name);
  show_plan(plan_lines(request.plan, work, file, o.db), o.json);
  if (o.dry_run) return dry_run(request.plan, work, o.json);
  // Before the time is spent: whether the file can be made at all.
  if (!file.export_file.empty()) const AtomicFile probe(file.export_file);
  const SweepTables tables = tables_of(run_sweep(request), o.db);
  progress.clear();
  if (o.json) {
    Json json = {{"plan", plan_json(request.plan, work)},
                 {"left_out", left_out_json(request.plan)}};
    add_tables(json, tables);
    json["interrupted"] = tables.result.interrupted;
    print_json(json);
  } else {
    print_tables(tables);
  }
  print_remarks(tables.result, o.db);
  export_winners(file.export_file, o.db);
  if (tables.result.interrupted) return kExitInterrupted;
  return tables.result.failed() > 0 ? 1 : 0;
}

}  // namespace

void add_sweep_command(CLI::App& app, Action& action) {
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("sweep", "Tunes many blocks, as a file lists them");
  command->add_option("file", o->file, "what to tune: TOML, see docs/measuring.md")->required();
  command->add_option("--db", o->db, "tuning database, made if it is missing")->required();
  command->add_flag("--dry-run", o->dry_run, "shows cells, trials and time, and does nothing");
  command->add_option("--most-cells", o->most_cells, "refuses a file with more")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40))
      ->capture_default_str();
  command->add_flag("--json", o->json, "one JSON object on stdout");
  command->footer("Example:\n  gatefold sweep sweep.toml --db tuning.db --dry-run");
  command->callback([o, &action] { action = [o] { return run(*o); }; });
}

}  // namespace gatefold::cli
