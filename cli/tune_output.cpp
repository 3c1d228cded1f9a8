#include "cli/tune_output.h"

#include <fmt/format.h>

#include "cli/output.h"
#include "cli/spec_options.h"
#include "cli/tune_report.h"

namespace gatefold::cli {
namespace {

Json json_of(const TuneResult& result, const TuneRequest& request) {
  Json cells = Json::array();
  for (const RaceCell& c : result.race.cells) {
    cells.push_back({{"rows", c.bucket.tuned_rows},
                     {"emulated", request.emulated()},
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
          {"seconds",
           {{"total", result.seconds.total},
            {"compiling", result.seconds.compiling},
            {"measuring", result.seconds.measuring},
            {"first_result", number_or_null(result.seconds.first_result)}}},
          {"speedup", number_or_null(result.speedup)},
          {"interrupted", result.interrupted},
          {"race_reused", result.race_reused},
          {"target", info(request.target).name},
          {"emulated", request.emulated()},
          {"emulator", request.emulated() ? Json(request.emulator) : Json()},
          {"packing", result.race.packing},
          {"cells", cells}};
}

void print_counts(const TuneResult& result) {
  std::string text = fmt::format("{} trials, {} ok, {} measured now", result.trials, result.ok,
                                 result.measured_now);
  for (const auto& [kind, count] : result.failed) text += fmt::format(", {} {}", count, kind);
  print_line(text);
  const TuneSeconds& s = result.seconds;
  if (result.measured_now == 0) return;
  print_line(fmt::format("{:.1f} s: compiling {:.1f}, measuring {:.1f}, the first result after {}",
                         s.total, s.compiling, s.measuring,
                         s.first_result ? fmt::format("{:.1f}", *s.first_result) : "-"));
}

void print_result(const TuneResult& result, const TuneRequest& request) {
  print_line(fmt::format("{} on {}", describe(request.ffn), info(request.target).name));
  print_counts(result);
  if (request.emulated()) {
    print_line("emulated: all times are those of " + request.emulator + ", not of a CPU");
  }
  if (result.race.cells.empty()) return;
  Table table({">rows", ">median ms", ">default ms", ">speedup", "95 % of the ratio", ">efficiency",
               ">margin", ">joint cost", "fastest configuration"});
  for (const RaceCell& c : result.race.cells) {
    table.add({std::to_string(c.bucket.tuned_rows), ms_text(c.median_ms, request.emulated()),
               ms_text(c.default_ms, request.emulated()), ratio_text(speedup_of(c)),
               ratio_text(c.ratio_low) + " - " + ratio_text(c.ratio_high), ratio_text(c.efficiency),
               percent_text(c.margin_pct), percent_text(c.joint_cost_pct),
               c.point + " (" + c.origin + ")"});
  }
  table.print();
  print_line(fmt::format("{}x the default over all row counts", ratio_text(result.speedup)));
}

}  // namespace

void print_tuning(const TuneResult& result, const TuneRequest& request, bool json) {
  const TuneLook look = look_at(request, result);
  const ShippedMatch shipped = shipped_match(request);
  if (json) {
    Json object = json_of(result, request);
    add_look(object, look);
    object["shipped_match"] = shipped.match;
    print_json(object);
  } else {
    print_result(result, request);
    print_look(look, request.emulated());
  }
  print_note(fmt::format("shipped winners: match {}, {}", shipped.match, shipped.note));
  for (const std::string& note : result.notes) print_note(note);
}

}  // namespace gatefold::cli
