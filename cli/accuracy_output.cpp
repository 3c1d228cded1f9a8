#include "cli/accuracy_output.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/reference/tolerance.h"

namespace gatefold::cli {
namespace {

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

}  // namespace

Json accuracy_json(const AccuracyResult& result, const FfnSpec& ffn) {
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

void print_accuracy(const AccuracyResult& result) {
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
  print_line(fmt::format("{}: {} calls compared with the f64 reference",
                         result.ok ? "ok" : "NOT ok", result.cells.size()));
}

}  // namespace gatefold::cli
