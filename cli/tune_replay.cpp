#include "cli/tune_replay.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "spec/error.h"
#include "spec/names.h"
#include "spec/shape.h"
#include "tuning/replay.h"
#include "tuning/strategy.h"

namespace gatefold::cli {
namespace {

struct Result {
  std::string file;
  RecordedSpace recorded;
  std::vector<std::string> notes;
  size_t points = 0;
  double optimum_ms = 0;
  std::vector<ReplayCell> cells;
};

std::vector<std::string> strategies_of(const ReplayOptions& o) {
  std::vector<std::string> names;
  for (const StrategyInfo& s : all_strategies()) names.push_back(s.name);
  if (o.strategy && *o.strategy != "all") {
    if (std::find(names.begin(), names.end(), *o.strategy) != names.end()) return {*o.strategy};
    names.push_back("all");
    fail_usage(unknown_name_message("strategy", *o.strategy, names));
  }
  return names;
}

std::vector<int> trials_of(const ReplayOptions& o) {
  std::vector<int> trials;
  for (int64_t n : parse_rows(o.trials.value_or("32,128,256"), "--trials")) {
    trials.push_back(static_cast<int>(n));
  }
  return trials;
}

/// Cell by cell, so that Ctrl-C ends it soon.
std::vector<ReplayCell> cells_of(const Replay& replay, const ReplayRequest& request,
                                 const std::string& file, Progress& progress) {
  std::vector<ReplayCell> cells;
  for (const std::string& strategy : request.strategies) {
    for (int trials : request.trials) {
      throw_if_interrupted();
      progress.show(fmt::format("{}: {}, {} trials", file, strategy, trials));
      cells.push_back(replay_cells(replay, {{strategy}, {trials}, request.seeds}).front());
    }
  }
  return cells;
}

Result replay_file(const std::string& file, const ReplayRequest& request, Progress& progress) {
  Result result;
  result.file = file;
  result.recorded = read_recorded_space(file);
  const Replay replay(result.recorded, file, analytic_model());
  result.notes = replay.notes();
  result.points = replay.points();
  result.optimum_ms = replay.optimum_ms();
  result.cells = cells_of(replay, request, file, progress);
  return result;
}

Json json_of(const Result& r) {
  Json cells = Json::array();
  for (const ReplayCell& c : r.cells) {
    cells.push_back({{"strategy", c.strategy},
                     {"trials", c.trials},
                     {"median", number_or_null(c.median)},
                     {"p90", number_or_null(c.p90)}});
  }
  return {{"file", r.file},
          {"target", info(r.recorded.key.target).name},
          {"variant", r.recorded.key.ffn.variant.name},
          {"dtype", r.recorded.key.ffn.dtypes()},
          {"d_model", r.recorded.key.ffn.shape.d_model},
          {"d_ff", r.recorded.key.ffn.shape.d_ff},
          {"rows", r.recorded.rows},
          {"threads", r.recorded.key.threads},
          {"cpu", r.recorded.key.cpu},
          {"points", r.points},
          {"optimum_ms", number_or_null(r.optimum_ms)},
          {"cells", cells}};
}

void print(const Result& r, const ReplayRequest& request) {
  print_line(fmt::format("{}: {} points, optimum {} ms", r.file, r.points, ms_text(r.optimum_ms)));
  std::vector<std::string> columns = {"time / optimum"};
  for (int trials : request.trials) {
    columns.push_back(fmt::format(">{} trials", trials));
    columns.push_back(">p90");
  }
  Table table(columns);
  for (size_t i = 0; i < r.cells.size(); i += request.trials.size()) {
    std::vector<std::string> row = {r.cells[i].strategy};
    for (size_t t = 0; t < request.trials.size(); ++t) {
      row.push_back(ratio_text(r.cells[i + t].median));
      row.push_back(ratio_text(r.cells[i + t].p90));
    }
    table.add(row);
  }
  table.print();
}

}  // namespace

int run_replay(const ReplayOptions& o) {
  const ReplayRequest request = {strategies_of(o), trials_of(o), o.seeds};
  const std::vector<std::string> files = split_list(o.files);
  if (std::find(files.begin(), files.end(), "") != files.end()) {
    fail_usage("--replay: '" + o.files + "' has an empty name, wanted FILE[,FILE…]");
  }
  Progress progress;
  std::vector<Result> results;
  for (const std::string& file : files) {
    results.push_back(replay_file(file, request, progress));
  }
  progress.clear();
  Json spaces = Json::array();
  for (const Result& r : results) {
    for (const std::string& note : r.notes) print_note(note);
    if (o.json) {
      spaces.push_back(json_of(r));
    } else {
      print(r, request);
    }
  }
  if (o.json) print_json({{"seeds", o.seeds}, {"spaces", spaces}});
  return 0;
}

}  // namespace gatefold::cli
