#include "cli/tune_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "schedules/space.h"
#include "tuning/budget.h"
#include "tuning/sweep_plan.h"
#include "tuning/tune_request.h"
#include "tuning/winners.h"

namespace gatefold::cli {
namespace {

constexpr double kLeastShare = 0.01;  // of what a tunable explains, to be named
constexpr size_t kMostTunables = 4;

/// Of the search and, without a budget, of the race that comes after it.
std::optional<double> seconds_left(const TuneProgress& p, int trials_left) {
  if (p.budget_s) return std::max(0.0, *p.budget_s - p.elapsed_s);
  if (!p.trials_wanted || p.measured_now == 0) return std::nullopt;
  return p.elapsed_s / p.measured_now * trials_left + kRaceSeconds;
}

std::string shares_text(const std::vector<TunableShare>& shares) {
  std::string text;
  size_t shown = 0;
  for (const TunableShare& s : shares) {
    if (s.share < kLeastShare || shown++ == kMostTunables) break;
    text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", s.tunable, 100 * s.share);
  }
  return text.empty() ? "none" : text;
}

void print_leaders(const std::vector<RowsLook>& rows, bool emulated) {
  Table table({">rows", ">screened ms", "samples ms", ">of default", "proposed by",
               "the best of the trials"});
  for (const RowsLook& look : rows) {
    for (const Leader& l : look.leaders) {
      table.add({std::to_string(look.rows), ms_text(l.screened_ms, emulated),
                 ms_text(l.low_ms) + " - " + ms_text(l.high_ms), ratio_text(l.ratio), l.proposer,
                 l.point.text()});
    }
  }
  table.print();
}

void print_failed(const std::vector<FailedKind>& failed) {
  if (failed.empty()) return;
  Table table({"failed", ">trials", "the first"});
  for (const FailedKind& f : failed) table.add({name(f.kind), std::to_string(f.count), f.first});
  print_line("");
  table.print();
}

}  // namespace

std::string progress_text(const TuneProgress& p) {
  std::string text = p.speedup ? fmt::format("best {:.3f}x the default, ", *p.speedup) : "";
  const int left = p.trials_wanted ? std::max(0, *p.trials_wanted - p.trials) : 0;
  text +=
      p.trials_wanted ? fmt::format("{} trials left", left) : fmt::format("{} trials", p.trials);
  if (const auto seconds = seconds_left(p, left)) text += ", " + duration_text(*seconds) + " left";
  return text + ": " + p.phase;
}

TuneLook look_at(const TuneRequest& request, const TuneResult& result) {
  Store store(request.database, Store::Open::existing);
  const std::optional<int64_t> workload = store.known_workload(workload_of(request));
  if (!workload) return {};
  // Interrupted before there was a race: the packing that every search begins with.
  const std::string packing = result.race.packing.empty()
                                  ? legal_packings(request.ffn, request.target).at(0).text()
                                  : result.race.packing;
  return gatefold::look_at(store.trials(*workload), row_buckets(request.rows), packing);
}

void print_look(const TuneLook& look, bool emulated) {
  if (!look.rows.empty()) {
    print_line("");
    print_leaders(look.rows, emulated);
  }
  print_failed(look.failed);
  if (look.rows.empty()) return;
  Table table({">rows", "tunables that mattered, by the share of the times' variance"});
  for (const RowsLook& r : look.rows) table.add({std::to_string(r.rows), shares_text(r.shares)});
  print_line("");
  table.print();
}

void add_look(Json& json, const TuneLook& look) {
  Json top = Json::array(), shares = Json::array(), failures = Json::array();
  for (const RowsLook& r : look.rows) {
    for (const Leader& l : r.leaders) {
      top.push_back({{"rows", r.rows},
                     {"point", l.point.text()},
                     {"proposer", l.proposer},
                     {"screened_ms", number_or_null(l.screened_ms)},
                     {"low_ms", number_or_null(l.low_ms)},
                     {"high_ms", number_or_null(l.high_ms)},
                     {"ratio", number_or_null(l.ratio)}});
    }
    Json tunables = Json::object();
    for (const TunableShare& s : r.shares) tunables[s.tunable] = s.share;
    shares.push_back({{"rows", r.rows}, {"tunables", tunables}});
  }
  for (const FailedKind& f : look.failed) {
    failures.push_back({{"kind", name(f.kind)}, {"trials", f.count}, {"first", f.first}});
  }
  json["top"] = top;
  json["failures"] = failures;
  json["importance"] = shares;
}

ShippedMatch shipped_match(const TuneRequest& request) {
  const WinnerQuery query = {
      .ffn = request.ffn, .target = request.target, .cpu = request.cpu_name, .any_cpu = true};
  ShippedMatch out{"analytic", {}};
  const WinnerSet* set = find_set(shipped_winners(), query, request.rows, out.note);
  if (set) out.match = name(cpu_match(query, set->key.cpu));
  if (set && out.note.empty()) out.note = "tuned on this CPU";
  return out;
}

}  // namespace gatefold::cli
