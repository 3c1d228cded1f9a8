#include <fmt/format.h>

#include <memory>

#include "bench/accuracy.h"
#include "bench/shape_flags.h"
#include "cli/commands.h"
#include "cli/emulated.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "runtime/reference/tolerance.h"
#include "spec/error.h"

namespace gatefold::cli {
namespace {

struct Options {
  std::string library, shapes, rows, target;
  bool json = false;
  bool emulated = false;
};

AccuracyOptions accuracy_options(const Options& o, Progress& progress) {
  AccuracyOptions options;
  check_isa_name(o.target, "--target");
  options.target = o.target;
  if (!o.shapes.empty()) options.shapes = parse_shapes(o.shapes);
  if (!o.rows.empty()) options.rows = parse_rows(o.rows, "--rows", 0);
  options.progress = [&progress](const std::string& what) {
    throw_if_interrupted();
    progress.show("checking " + what);
  };
  return options;
}

Json json_of(const AccuracyResult& result, const FfnSpec& ffn) {
  Json cells = Json::array();
  for (const AccuracyCell& c : result.cells) {
    cells.push_back({{"kernel", c.kernel},
                     {"target", c.target},
                     {"d_model", c.shape.d_model},
                     {"d_ff", c.shape.d_ff},
                     {"rows", c.rows},
                     {"values", c.values},
                     {"threads", c.threads},
                     {"max_abs", number_or_null(c.max_abs)},
                     {"rel_l2", number_or_null(c.rel_l2)},
                     {"scaled", number_or_null(c.scaled)},
                     {"tolerance", c.tolerance},
                     {"ok", c.ok},
                     {"note", c.note}});
  }
  return {{"ok", result.ok},
          {"variant", ffn.variant.name},
          {"formula", ffn.variant.formula()},
          {"dtype", info(ffn.dtype).name},
          {"act_dtype", info(ffn.act()).name},
          {"cells", cells},
          {"notes", result.notes}};
}

/// One line for each kernel and shape: its worst cell, or its first wrong one.
struct Summary {
  const AccuracyCell* worst = nullptr;
  int cells = 0, wrong = 0;
};

double error_of(const AccuracyCell& cell) {
  const bool relative = std::min(cell.shape.d_model, cell.shape.d_ff) >= kRelativeFrom;
  return relative ? cell.rel_l2 : cell.scaled;
}

void add(Summary& summary, const AccuracyCell& cell) {
  ++summary.cells;
  if (!cell.ok) ++summary.wrong;
  const bool first_wrong = !cell.ok && summary.wrong == 1;
  const bool worse =
      summary.wrong == 0 && summary.worst && error_of(cell) > error_of(*summary.worst);
  if (!summary.worst || first_wrong || worse) summary.worst = &cell;
}

void print_table(const AccuracyResult& result) {
  std::vector<std::pair<std::string, Summary>> lines;
  for (const AccuracyCell& cell : result.cells) {
    const std::string key = cell.kernel + " " + cell.shape.text();
    auto line =
        std::find_if(lines.begin(), lines.end(), [&](const auto& l) { return l.first == key; });
    if (line == lines.end()) line = lines.insert(line, {key, {}});
    add(line->second, cell);
  }
  Table table(
      {"kernel", "shape", ">calls", ">worst rows", ">max abs", ">error", ">tolerance", "ok"});
  for (const auto& [key, s] : lines) {
    const AccuracyCell& c = *s.worst;
    table.add(
        {c.kernel, c.shape.text(), std::to_string(s.cells), std::to_string(c.rows),
         fmt::format("{:.3g}", c.max_abs), fmt::format("{:.3g}", error_of(c)),
         fmt::format("{:.3g}", c.tolerance),
         s.wrong ? fmt::format("{} wrong: {} values, {}", s.wrong, c.values, c.note) : "yes"});
  }
  table.print();
}

int run(const Options& options) {
  if (options.emulated) accept_emulated_targets();
  Progress progress;
  const AccuracyOptions wanted = accuracy_options(options, progress);
  const LoadedLibrary library(options.library);
  if (!options.shapes.empty() && library.ffn().shape.fixed()) {
    fail_usage("--shapes: '" + options.shapes + "', but the library is for " +
               library.ffn().shape.text() + " only");
  }
  const AccuracyResult result = check_accuracy(library, wanted);
  progress.clear();
  throw_if_interrupted();
  if (options.json) {
    print_json(json_of(result, library.ffn()));
  } else {
    print_table(result);
    print_line(fmt::format("{}: {} calls compared with the f64 reference",
                           result.ok ? "ok" : "NOT ok", result.cells.size()));
  }
  for (const std::string& note : result.notes) print_note(note);
  return result.ok ? 0 : static_cast<int>(ErrorKind::failed);
}

}  // namespace

void add_check_command(CLI::App& app, Action& action) {
  auto o = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("check", "Accuracy of a library against the f64 reference");
  command->add_option("--library", o->library, "manifest NAME.json")->required();
  command->add_option("--shapes", o->shapes,
                      "D_MODELxD_FF[,…] for sizes that the library leaves open "
                      "(default: 1x37,37x1,85x341,512x1365,384x1536)");
  command->add_option("--rows", o->rows,
                      "row counts beside the edges of the buckets (default: 0,1,2,3,5,17,64)");
  command->add_option(
      "--target", o->target,
      "only this target, or host: the best of them (default: all that this CPU runs)");
  command->add_flag("--emulated", o->emulated, kEmulatedHelp);
  command->add_flag("--json", o->json, "one JSON object on stdout");
  command->footer("Example:\n  gatefold check --library lib/k.json");
  command->callback([o, &action] { action = [o] { return run(*o); }; });
}

}  // namespace gatefold::cli
