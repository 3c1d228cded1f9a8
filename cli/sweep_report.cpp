#include "cli/sweep_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/spec_options.h"
#include "tuning/budget.h"
#include "tuning/race.h"

namespace gatefold::cli {
namespace {

std::optional<double> percent(std::optional<double> share) {
  return share ? std::optional(100 * *share) : std::nullopt;
}

Json key_json(const WorkloadKey& key, int64_t rows) {
  Json json = {{"target", info(key.target).name}, {"variant", key.ffn.variant.name}};
  json.update(block_json(key.ffn));
  json.update({{"threads", key.threads}, {"rows", rows}});
  return json;
}

std::string block_text(const WorkloadKey& key, int64_t rows) {
  return fmt::format("{} on {}, {} threads, {} rows", describe(key.ffn), info(key.target).name,
                     key.threads, rows);
}

void print_winners(const SweepResult& result) {
  Table table({"block", "target", ">threads", ">rows", ">median ms", ">default ms", ">speedup",
               ">efficiency", "fastest configuration"});
  for (const SweepCellResult& r : result.cells) {
    if (!r.race) continue;
    for (const RaceCell& c : r.race->race.cells) {
      table.add({describe(r.cell.ffn), info(r.cell.target).name, std::to_string(r.cell.threads),
                 std::to_string(c.bucket.tuned_rows), ms_text(c.median_ms), ms_text(c.default_ms),
                 ratio_text(speedup_of(c)), ratio_text(c.efficiency),
                 c.point + " (" + c.origin + ")"});
    }
  }
  table.print();
}

void print_left_one_out(const std::vector<LeftOneOut>& lines) {
  if (lines.empty()) return;
  Table table({"winners of other shapes in", "target", ">threads", ">rows", ">tried", ">tuned ms",
               ">theirs ms", ">of tuned", "their best"});
  std::vector<double> ratios;
  for (const LeftOneOut& l : lines) {
    table.add({describe(l.key.ffn), info(l.key.target).name, std::to_string(l.key.threads),
               std::to_string(l.rows), std::to_string(l.candidates), ms_text(l.tuned_ms),
               ms_text(l.transferred_ms), ratio_text(l.ratio()), l.point});
    if (l.ratio()) ratios.push_back(*l.ratio());
  }
  print_line("");
  table.print();
  if (ratios.empty()) return;
  const double worst = *std::min_element(ratios.begin(), ratios.end());
  print_line(
      fmt::format("without its own shape's tuning a cell reaches {:.3f} of it or more, {:.3f} "
                  "in the mean ({} of {} cells)",
                  worst, geometric_mean(ratios), ratios.size(), lines.size()));
}

void print_distilled(const Distilled& d) {
  print_line(fmt::format(
      "\n{} on {}, packing '{}': {} of {} cells are within {:.0f} % of their best with {} points; "
      "worst loss {}, mean {}",
      d.dtypes, info(d.target).name, d.packing, d.cells.size() - d.uncovered.size(), d.cells.size(),
      100 * kMostLoss, d.points.size(), percent_text(percent(d.worst)),
      percent_text(percent(d.mean))));
  for (const std::string& point : d.points) print_line("  " + point);
  for (const DistilledCell& c : d.uncovered) {
    print_line("  not served: " + block_text(c.key, c.rows) +
               (c.loss ? " (" + percent_text(percent(c.loss)) + ")" : " (none was timed there)"));
  }
}

Json winners_json(const SweepResult& result) {
  Json cells = Json::array();
  for (const SweepCellResult& r : result.cells) {
    if (!r.race) continue;
    for (const RaceCell& c : r.race->race.cells) {
      Json cell = key_json(r.race->key, c.bucket.tuned_rows);
      cell["point"] = c.point;
      cell["origin"] = c.origin;
      cell["packing"] = r.race->race.packing;
      cell["median_ms"] = number_or_null(c.median_ms);
      cell["default_ms"] = number_or_null(c.default_ms);
      cell["speedup"] = number_or_null(speedup_of(c));
      cell["efficiency"] = number_or_null(c.efficiency);
      cell["bound"] = c.bound;
      cell["joint_cost_pct"] = number_or_null(c.joint_cost_pct);
      cells.push_back(std::move(cell));
    }
  }
  return cells;
}

Json left_one_out_json(const std::vector<LeftOneOut>& lines) {
  Json out = Json::array();
  for (const LeftOneOut& l : lines) {
    Json line = key_json(l.key, l.rows);
    line["candidates"] = l.candidates;
    line["tuned_ms"] = number_or_null(l.tuned_ms);
    line["transferred_ms"] = number_or_null(l.transferred_ms);
    line["ratio"] = number_or_null(l.ratio());
    line["point"] = l.point.empty() ? Json() : Json(l.point);
    out.push_back(std::move(line));
  }
  return out;
}

Json served_json(const std::vector<DistilledCell>& cells) {
  Json out = Json::array();
  for (const DistilledCell& c : cells) {
    Json cell = key_json(c.key, c.rows);
    cell["point"] = c.point.empty() ? Json() : Json(c.point);
    cell["loss_pct"] = number_or_null(percent(c.loss));
    out.push_back(std::move(cell));
  }
  return out;
}

Json distilled_json(const std::vector<Distilled>& all) {
  Json out = Json::array();
  for (const Distilled& d : all) {
    out.push_back({{"target", info(d.target).name},
                   {"dtype", d.dtypes},
                   {"packing", d.packing},
                   {"points", d.points},
                   {"worst_loss_pct", number_or_null(percent(d.worst))},
                   {"mean_loss_pct", number_or_null(percent(d.mean))},
                   {"cells", served_json(d.cells)},
                   {"uncovered", served_json(d.uncovered)}});
  }
  return out;
}

std::string rate_text(const SweepWork& work, const std::string& database) {
  if (work.rate.trials == 0) return fmt::format("{:.1f} s a trial is a guess", work.rate.seconds);
  return fmt::format("{:.1f} s a trial, as {} of {} took", work.rate.seconds, work.rate.trials,
                     database);
}

}  // namespace

std::vector<std::string> plan_lines(const SweepPlan& plan, const SweepWork& work,
                                    const SweepFile& file, const std::string& database) {
  std::vector<std::string> lines;
  std::string head = fmt::format("{} cells of {} row counts", plan.cells.size(), plan.rows.size());
  if (work.finished > 0) head += fmt::format(", {} of them finished before", work.finished);
  lines.push_back(head);
  if (file.budget_s) {
    lines.push_back(fmt::format("{} for each cell: about {}", duration_text(*file.budget_s),
                                duration_text(work.seconds)));
  } else {
    lines.push_back(fmt::format("{} trials for each cell, {} to be made: about {} ({})",
                                file.trials.value_or(0), work.trials, duration_text(work.seconds),
                                rate_text(work, database)));
  }
  if (work.transfers > 0) {
    lines.push_back(fmt::format("then winners in the other cells: at most {} trials, {}",
                                work.transfers, duration_text(work.transfer_seconds)));
  }
  for (const LeftOut& l : plan.left_out) lines.push_back("left out: " + l.what + ": " + l.why);
  return lines;
}

Json plan_json(const SweepPlan& plan, const SweepWork& work) {
  return {{"cells", plan.cells.size()},
          {"rows", plan.rows},
          {"finished", work.finished},
          {"trials", work.trials},
          {"seconds", work.seconds},
          {"transfers", work.transfers},
          {"transfer_seconds", work.transfer_seconds},
          {"seconds_per_trial", work.rate.seconds},
          {"rate_of_trials", work.rate.trials}};
}

Json left_out_json(const SweepPlan& plan) {
  Json out = Json::array();
  for (const LeftOut& l : plan.left_out) out.push_back({{"cell", l.what}, {"why", l.why}});
  return out;
}

void print_tables(const SweepTables& tables) {
  print_winners(tables.result);
  print_left_one_out(tables.left_one_out);
  for (const Distilled& d : tables.distilled) print_distilled(d);
}

void add_tables(Json& json, const SweepTables& tables) {
  json["cells"] = winners_json(tables.result);
  Json failed = Json::array();
  for (const SweepCellResult& c : tables.result.cells) {
    if (!c.error.empty()) failed.push_back({{"cell", c.cell.text()}, {"error", c.error}});
  }
  json["failed"] = failed;
  json["leave_one_out"] = left_one_out_json(tables.left_one_out);
  json["distil"] = distilled_json(tables.distilled);
}

}  // namespace gatefold::cli
