#include "tuning/tune.h"

#include <fmt/format.h>

#include <charconv>

#include <memory>
#include <set>

#include "accuracy/loaded_library.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/run_options.h"
#include "cli/self_test.h"
#include "cli/spec_options.h"
#include "cli/tune_gpu.h"
#include "cli/tune_output.h"
#include "cli/tune_replay.h"
#include "cli/tune_report.h"
#include "cli/tune_space.h"
#include "cli/worker_option.h"
#include "formats/atomic_file.h"
#include "spec/error.h"
#include "tuning/budget.h"
#include "tuning/record.h"
#include "tuning/strategy.h"
#include "tuning/winners.h"

namespace gatefold::cli {
namespace {

struct Options {
  SpecOptions spec;
  std::string db, export_file, record, replay, worker_program, gpu, ptxas;
  std::optional<std::string> budget, trials, effort, strategy, worker;
  uint64_t seed = 1;
  std::optional<int> seeds;
  int threads = 0, top = 0;
  bool json = false, space = false, self_test = false;
};

std::optional<int> trials_wanted(const Options& o) {
  constexpr int kMostTrials = 1000000;
  if (o.effort && o.trials) fail_usage("--effort and --trials: both given, wanted one of them");
  if (o.effort) return effort_named(*o.effort).trials;
  if (!o.trials) return std::nullopt;
  int value = 0;
  const char* const end = o.trials->data() + o.trials->size();
  const auto [rest, error] = std::from_chars(o.trials->data(), end, value);
  if (error != std::errc() || rest != end || value < 1 || value > kMostTrials) {
    fail_usage(
        fmt::format("--trials: '{}', wanted a whole number from 1 to {}", *o.trials, kMostTrials));
  }
  return value;
}

bool has_budget(const Options& o) { return o.budget || o.trials || o.effort; }

Target only_target(const std::vector<Target>& targets) {
  if (targets.size() != 1) {
    fail_usage(
        fmt::format("--target: {} targets, wanted one: each is tuned by itself", targets.size()));
  }
  return targets.front();
}

TuneRequest request_of(const Options& o, Progress& progress) {
  if (!o.self_test && !has_budget(o) && o.record.empty()) {
    fail_usage("--budget: missing, wanted it, --trials or --effort");
  }
  TuneRequest request;
  if (o.budget) request.budget_s = parse_budget(*o.budget, "--budget");
  SpecOptions wanted = o.spec;
  if (!o.worker && !o.worker_program.empty()) fail_usage("--worker-program: only with --worker");
  if (o.worker) use_worker(*o.worker, o.worker_program, wanted, request);
  const Spec spec = resolve(wanted);
  refuse_devices(spec.targets, "tune");
  request.ffn = spec.ffn;
  request.target = only_target(spec.targets);
  request.rows = spec.rows;
  const bool its_threads = request.elsewhere && o.threads == 0;
  request.threads = its_threads ? request.elsewhere->threads : threads_in_use(o.threads);
  request.trials = trials_wanted(o);
  request.strategy = o.strategy.value_or(kDefaultStrategy);
  request.seed = o.seed;
  request.cost_model = analytic_model();
  request.database = o.db;
  request.stop = &interrupt_flag();
  request.builder.stop = &interrupt_flag();
  request.lock.stop = &interrupt_flag();
  request.lock.waiting = [&progress](const std::string& whom) { progress.show(whom); };
  request.progress = [&progress](const TuneProgress& p) { progress.show(progress_text(p)); };
  return request;
}

/// All winners of the database, those of earlier runs included.
void export_winners(const Options& o) {
  if (o.export_file.empty()) return;
  Store store(o.db, Store::Open::existing);
  write_file_atomically(o.export_file, winners_json(winners_of(store)));
}

/// What the database holds, as a file for --replay.
void record(const Options& o, const TuneRequest& request) {
  if (o.record.empty()) return;
  const RecordedSpace space = recorded_trials(request);
  write_recorded_space(o.record, space);
  if (has_budget(o)) return;
  if (o.json) {
    print_json({{"points", space.points.size()}, {"file", o.record}});
  } else {
    print_line(fmt::format("{} points in {}", space.points.size(), o.record));
  }
}

/// What leaves the database is taken for what a CPU does.
void refuse_emulated(const std::string& flag, const std::string& file, const TuneRequest& request) {
  if (file.empty() || !request.emulated()) return;
  fail_unavailable(
      fmt::format("{}: '{}', but what measures is {}, wanted a real CPU: emulated times are never "
                  "written there",
                  flag, file, request.emulator));
}

/// Before the budget is spent: whether a file can be made at all.
void check_writable(const std::string& file) {
  if (!file.empty()) const AtomicFile probe(file);
}

int run_tuning(const Options& o, const TuneRequest& request, Progress& progress) {
  const TuneResult result = tune(request);
  progress.clear();
  print_tuning(result, request, o.json);
  if (!result.interrupted) return 0;
  print_note("interrupted; " + o.db + " keeps what is finished, the same command goes on there");
  return kExitInterrupted;
}

/// Flags that mean nothing in a mode are refused there: silence would look as if they had worked.
void only_with(const Options& o, const std::string& mode, const std::set<std::string>& allowed) {
  const std::pair<const char*, bool> flags[] = {{"--db", !o.db.empty()},
                                                {"--budget", o.budget.has_value()},
                                                {"--trials", o.trials.has_value()},
                                                {"--effort", o.effort.has_value()},
                                                {"--strategy", o.strategy.has_value()},
                                                {"--export", !o.export_file.empty()},
                                                {"--record", !o.record.empty()},
                                                {"--replay", !o.replay.empty()},
                                                {"--seeds", o.seeds.has_value()},
                                                {"--worker", o.worker.has_value()},
                                                {"--worker-program", !o.worker_program.empty()},
                                                {"--gpu", !o.gpu.empty()},
                                                {"--ptxas", !o.ptxas.empty()},
                                                {"--top", o.top > 0},
                                                {"--selftest", o.self_test},
                                                {"--space", o.space}};
  for (const auto& [flag, given] : flags) {
    if (given && !allowed.count(flag)) fail_usage(fmt::format("{}: not with {}", flag, mode));
  }
}

int replay(const Options& o) {
  constexpr int kSeeds = 20;
  only_with(o, "--replay", {"--replay", "--strategy", "--trials", "--seeds"});
  return run_replay({o.replay, o.strategy, o.trials, o.seeds.value_or(kSeeds), o.json});
}

int show_space(const Options& o) {
  only_with(o, "--space", {"--space"});
  const Spec spec = resolve(o.spec);
  print_space(spec, only_target(spec.targets), o.json);
  return 0;
}

int for_gpu(const Options& o) {
  only_with(o, "--gpu", {"--gpu", "--ptxas", "--top", "--export"});
  const Spec spec = resolve(o.spec);
  return tune_for_gpu(spec, only_target(spec.targets),
                      {o.gpu, o.ptxas, o.export_file, o.top, o.json});
}

int run(const Options& o) {
  if (!o.gpu.empty()) return for_gpu(o);
  if (!o.ptxas.empty()) fail_usage("--ptxas: only with --gpu");
  if (o.top > 0) fail_usage("--top: only with --gpu");
  if (!o.replay.empty()) return replay(o);
  if (o.space) return show_space(o);
  if (o.self_test) {
    only_with(o, "--selftest", {"--selftest", "--worker", "--worker-program"});
  }
  if (o.seeds) fail_usage("--seeds: only with --replay");
  if (!o.self_test && o.db.empty())
    fail_usage("--db: missing, wanted it, --replay, --space or --gpu");
  Progress progress;
  const TuneRequest request = request_of(o, progress);
  if (o.self_test) return run_self_test(request, progress, o.json);
  refuse_emulated("--export", o.export_file, request);
  refuse_emulated("--record", o.record, request);
  check_writable(o.export_file);
  check_writable(o.record);
  if (!o.record.empty()) check_recordable(request);
  const int code = has_budget(o) ? run_tuning(o, request, progress) : 0;
  export_winners(o);
  record(o, request);
  return code;
}

std::string strategy_help() {
  std::string help =
      fmt::format("how candidates are chosen (default: {}; with --replay: all)", kDefaultStrategy);
  for (const StrategyInfo& s : all_strategies()) help += fmt::format("\n{}: {}", s.name, s.meaning);
  return help;
}

}  // namespace

void add_tune_command(CLI::App& app, Action& action) {
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("tune", "Searches the fastest schedules on this machine");
  add_spec_options(*command, o->spec);
  command->add_option("--db", o->db, "tuning database, made if it is missing");
  command->add_option("--budget", o->budget, "time of this run: 60s, 10m, 1h");
  command->add_option("--trials", o->trials,
                      "trials in the database, earlier ones included (with --replay: N[,N…])");
  command->add_option("--effort", o->effort,
                      "the same by name: quick (32), standard (128), deep (512)");
  command->add_option("--strategy", o->strategy, strategy_help());
  command->add_option("--seed", o->seed, "of the strategy and the data")->capture_default_str();
  command->add_option("--threads", o->threads, kThreadsHelp)->check(CLI::Range(1, 1024));
  command->add_option("--worker", o->worker, kWorkerHelp);
  command->add_option("--worker-program", o->worker_program, kWorkerProgramHelp);
  command->add_flag("--selftest", o->self_test,
                    "races the default against itself: is measuring sound here? needs no SPEC");
  command->add_option("--export", o->export_file, "writes the winners as JSON");
  command->add_option("--record", o->record,
                      "writes the trials of one row bucket as FILE.csv.gz, for --replay; without "
                      "--budget, --trials or --effort nothing else is done");
  command->add_option("--replay", o->replay,
                      "FILE[,FILE…]: runs strategies on recorded spaces instead of measuring");
  command
      ->add_option("--seeds", o->seeds, "of --replay: how often each strategy is run (default: 20)")
      ->check(CLI::Range(1, 10000));
  command->add_option(
      "--gpu", o->gpu,
      "only ranks a CUDA target's points for a GPU that is not at hand, by the cost "
      "model; see `list gpus`");
  command->add_option("--ptxas", o->ptxas,
                      "of --gpu: NVIDIA's assembler, which counts registers (default: "
                      "$GATEFOLD_PTXAS, the PATH, a CUDA toolkit); none: estimates");
  command
      ->add_option("--top", o->top,
                   "of --gpu: how many candidates of each generator to show for each row count")
      ->check(CLI::Range(1, 1000));
  command->add_flag("--space", o->space,
                    "only shows what there is to search: axes, legal points, refusals");
  command->add_flag("--json", o->json, "one JSON object on stdout");
  command->footer(
      "Example:\n"
      "  gatefold tune --preset llama-2-7b --rows 1,4,16 --db tuning.db --budget 60s\n"
      "  gatefold tune --preset gpt2 --db tuning.db --budget 5m --worker 'ssh HOST "
      "gatefold-worker'\n"
      "  gatefold tune --selftest\n"
      "  gatefold tune --preset llama-2-7b --dtype bf16 --target cuda-sm80 --gpu a100-40gb "
      "--export "
      "w.json");
  command->callback([o, command, &action] {
    if (o->self_test) fill_in_small_block(o->spec, command->count("--rows") > 0);
    action = [o] { return run(*o); };
  });
}

}  // namespace gatefold::cli
