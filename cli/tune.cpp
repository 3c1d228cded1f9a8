#include "tuning/tune.h"

#include <fmt/format.h>

#include <charconv>
#include <memory>

#include "bench/loaded_library.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/run_options.h"
#include "cli/self_test.h"
#include "cli/spec_options.h"
#include "cli/worker_option.h"
#include "formats/atomic_file.h"
#include "spec/error.h"
#include "tuning/winners.h"

namespace gatefold::cli {
namespace {

struct Options {
  SpecOptions spec;
  std::string db, strategy = "random", export_file;
  std::optional<std::string> budget, worker;
  std::optional<int> trials;
  uint64_t seed = 1;
  int threads = 0;
  bool json = false, self_test = false;
};

/// "60s", "2m", "1h", or seconds without a unit.
double parse_budget(const std::string& text) {
  constexpr double kMostSeconds = 7 * 24 * 3600;
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  const std::string unit(rest, end);
  const double factor = unit.empty() || unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
  const double seconds = value * factor;
  if (error != std::errc() || !(seconds > 0 && seconds <= kMostSeconds)) {
    fail_usage("--budget: '" + text + "', wanted a time above 0 and up to 168h such as 60s or 10m");
  }
  return seconds;
}

Target only_target(const std::vector<Target>& targets) {
  if (targets.size() != 1) {
    fail_usage(
        fmt::format("--target: {} targets, wanted one: each is tuned by itself", targets.size()));
  }
  return targets.front();
}

std::string progress_text(const TuneProgress& p) {
  std::string text = fmt::format("{} trials", p.trials);
  if (p.trials_wanted) text += fmt::format(" of {}", *p.trials_wanted);
  text += fmt::format(", {:.0f} s", p.elapsed_s);
  if (p.budget_s) text += fmt::format(" of {:.0f}", *p.budget_s);
  if (p.speedup) text += fmt::format(", {:.3f}x the default", *p.speedup);
  return text + ": " + p.phase;
}

TuneRequest request_of(const Options& o, Progress& progress) {
  if (!o.self_test && !o.budget && !o.trials) {
    fail_usage("--budget: missing, wanted it or --trials");
  }
  if (!o.self_test && o.db.empty()) fail_usage("--db: missing, wanted the tuning database's file");
  TuneRequest request;
  if (o.budget) request.budget_s = parse_budget(*o.budget);
  SpecOptions wanted = o.spec;
  if (o.worker) use_worker(*o.worker, wanted, request);
  const Spec spec = resolve(wanted);
  request.ffn = spec.ffn;
  request.target = only_target(spec.targets);
  request.rows = spec.rows;
  const bool its_threads = request.elsewhere && o.threads == 0;
  request.threads = its_threads ? request.elsewhere->threads : threads_in_use(o.threads);
  request.trials = o.trials;
  request.strategy = o.strategy;
  request.seed = o.seed;
  request.database = o.db;
  request.stop = &interrupt_flag();
  request.builder.stop = &interrupt_flag();
  request.lock.stop = &interrupt_flag();
  request.lock.waiting = [&progress](const std::string& whom) { progress.show(whom); };
  request.progress = [&progress](const TuneProgress& p) { progress.show(progress_text(p)); };
  return request;
}

Json json_of(const TuneResult& result, const TuneRequest& request) {
  Json cells = Json::array();
  for (const RaceCell& c : result.race.cells) {
    cells.push_back({{"rows", c.bucket.tuned_rows},
                     {"point", c.point},
                     {"origin", c.origin},
                     {"median_ms", number_or_null(c.median_ms)},
                     {"default_ms", number_or_null(c.default_ms)},
                     {"speedup", number_or_null(speedup_of(c))},
                     {"ratio_low", number_or_null(c.ratio_low)},
                     {"ratio_high", number_or_null(c.ratio_high)},
                     {"unfused_ms", number_or_null(c.unfused_ms)},
                     {"efficiency", number_or_null(c.efficiency)},
                     {"bound", c.bound},
                     {"runner_up", c.runner_up.empty() ? Json() : Json(c.runner_up)},
                     {"margin_pct", number_or_null(c.margin_pct)},
                     {"joint_cost_pct", number_or_null(c.joint_cost_pct)}});
  }
  Json failed = Json::object();
  for (const auto& [kind, count] : result.failed) failed[kind] = count;
  return {{"trials", result.trials},
          {"ok", result.ok},
          {"failed", failed},
          {"measured_now", result.measured_now},
          {"speedup", number_or_null(result.speedup)},
          {"interrupted", result.interrupted},
          {"race_reused", result.race_reused},
          {"target", info(request.target).name},
          {"packing", result.race.packing},
          {"cells", cells}};
}

void print_counts(const TuneResult& result) {
  std::string text = fmt::format("{} trials, {} ok, {} measured now", result.trials, result.ok,
                                 result.measured_now);
  for (const auto& [kind, count] : result.failed) text += fmt::format(", {} {}", count, kind);
  print_line(text);
}

void print_result(const TuneResult& result, const TuneRequest& request) {
  print_line(fmt::format("{} on {}", describe(request.ffn), info(request.target).name));
  print_counts(result);
  if (result.race.cells.empty()) return;
  Table table({">rows", ">median ms", ">default ms", ">speedup", "95 % of the ratio", ">efficiency",
               ">margin", ">joint cost", "fastest configuration"});
  for (const RaceCell& c : result.race.cells) {
    table.add({std::to_string(c.bucket.tuned_rows), ms_text(c.median_ms), ms_text(c.default_ms),
               ratio_text(speedup_of(c)),
               ratio_text(c.ratio_low) + " - " + ratio_text(c.ratio_high), ratio_text(c.efficiency),
               percent_text(c.margin_pct), percent_text(c.joint_cost_pct),
               c.point + " (" + c.origin + ")"});
  }
  table.print();
  print_line(fmt::format("{}x the default over all row counts", ratio_text(result.speedup)));
}

/// All winners of the database, those of earlier runs included.
void export_winners(const Options& o) {
  if (o.export_file.empty()) return;
  Store store(o.db, Store::Open::existing);
  write_file_atomically(o.export_file, winners_json(winners_of(store)));
}

int run(const Options& o) {
  Progress progress;
  const TuneRequest request = request_of(o, progress);
  if (o.self_test) return run_self_test(request, progress, o.json);
  // Before the budget is spent: whether the file can be made at all.
  if (!o.export_file.empty()) const AtomicFile probe(o.export_file);
  const TuneResult result = tune(request);
  progress.clear();
  if (o.json) {
    print_json(json_of(result, request));
  } else {
    print_result(result, request);
  }
  for (const std::string& note : result.notes) print_note(note);
  export_winners(o);
  if (!result.interrupted) return 0;
  print_note("interrupted; " + o.db + " keeps what is finished, the same command goes on there");
  return kExitInterrupted;
}

}  // namespace

void add_tune_command(CLI::App& app, Action& action) {
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("tune", "Searches the fastest schedules on this machine");
  add_spec_options(*command, o->spec);
  command->add_option("--db", o->db, "tuning database, made if it is missing");
  command->add_option("--budget", o->budget, "time of this run: 60s, 10m, 1h");
  command->add_option("--trials", o->trials, "trials in the database, earlier ones included")
      ->check(CLI::Range(1, 1000000));
  command->add_option("--strategy", o->strategy, "how candidates are chosen")
      ->capture_default_str();
  command->add_option("--seed", o->seed, "of the strategy and the data")->capture_default_str();
  command->add_option("--threads", o->threads, kThreadsHelp)->check(CLI::Range(1, 1024));
  command->add_option("--worker", o->worker, kWorkerHelp);
  command->add_flag("--selftest", o->self_test,
                    "races the default against itself: is measuring sound here? needs no SPEC");
  command->add_option("--export", o->export_file, "writes the winners as JSON");
  command->add_flag("--json", o->json, "one JSON object on stdout");
  command->footer(
      "Example:\n"
      "  gatefold tune --preset llama-2-7b --rows 1,4,16 --db tuning.db --budget 60s\n"
      "  gatefold tune --preset gpt2 --db tuning.db --budget 5m --worker 'ssh HOST "
      "gatefold-worker'\n"
      "  gatefold tune --selftest");
  command->callback([o, command, &action] {
    if (o->self_test) fill_in_small_block(o->spec, command->count("--rows") > 0);
    action = [o] { return run(*o); };
  });
}

}  // namespace gatefold::cli
