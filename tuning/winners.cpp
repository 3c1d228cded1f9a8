#include "tuning/winners.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <system_error>
#include <tuple>

#include "formats/mapped_file.h"
#include "spec/error.h"
#include "tuning/shipped_winners.h"
#include "tuning/store_rows.h"

namespace gatefold {
namespace {

bool same_block(const FfnSpec& a, const FfnSpec& b) {
  return a.variant.name == b.variant.name &&
         parameters_text(a.variant) == parameters_text(b.variant) && a.dtype == b.dtype &&
         a.act() == b.act() && a.accumulate == b.accumulate && a.shape == b.shape &&
         a.bias == b.bias && a.residual == b.residual;
}

bool same_set(const WinnerSet& set, const WorkloadKey& key, const std::string& packing) {
  return set.packing == packing && set.key.cpu == key.cpu && set.key.target == key.target &&
         set.key.emulated == key.emulated && same_block(set.key.ffn, key.ffn) &&
         set.key.halide_version == key.halide_version &&
         set.key.generator_version == key.generator_version;
}

/// In doublings: 4 rows are as far from 8 as from 2.
double row_distance(int64_t a, int64_t b) {
  return std::fabs(std::log2(static_cast<double>(a) / static_cast<double>(b)));
}

double nearest_row_distance(const WinnerSet& set, int64_t rows) {
  double nearest = INFINITY;
  for (const Winner& w : set.winners) {
    nearest = std::min(nearest, row_distance(w.cell.bucket.tuned_rows, rows));
  }
  return nearest;
}

double distance_to(const WinnerSet& set, const std::vector<int64_t>& rows) {
  double sum = 0;
  for (int64_t r : rows) sum += nearest_row_distance(set, r);
  return sum;
}

/// What about winners is not exact; empty for the CPU's own, and for what was worked out for its
/// micro-architecture.
std::string note_on(const WinnerQuery& query, const WinnerSet& set) {
  const std::string& cpu = set.key.cpu;
  switch (cpu_match(query, cpu)) {
    case CpuMatch::cpu:
      return {};
    case CpuMatch::micro_architecture:
      if (set.from_model()) return {};
      return "tuned on another CPU of the same micro-architecture (" + query.micro_architecture +
             "): " + cpu;
    case CpuMatch::isa:
      if (info(set.key.target).device != Device::cpu) {
        return (set.from_model() ? "worked out for " : "tuned on ") + cpu;
      }
      if (set.from_model()) return "worked out for a CPU with the same instructions only: " + cpu;
      return "tuned on another CPU with the same instructions only: " + cpu;
  }
  return {};
}

/// Newer races come first, so what is there already stays.
void add_race(std::vector<WinnerSet>& sets, const StoredRace& stored) {
  auto set = std::find_if(sets.begin(), sets.end(), [&](const WinnerSet& s) {
    return same_set(s, stored.key, stored.race.packing);
  });
  if (set == sets.end()) set = sets.insert(set, {stored.key, stored.race.packing, {}});
  for (const RaceCell& cell : stored.race.cells) {
    const bool known = std::any_of(set->winners.begin(), set->winners.end(), [&](const Winner& w) {
      return w.threads == stored.key.threads && w.cell.bucket.tuned_rows == cell.bucket.tuned_rows;
    });
    if (!known) set->winners.push_back({cell, stored.key.threads});
  }
}

}  // namespace

std::vector<WinnerSet> winners_of(Store& store) {
  std::vector<WinnerSet> sets;
  for (const StoredRace& stored : store.races()) add_race(sets, stored);
  return sets;
}

std::vector<WinnerSet> load_winners(const std::filesystem::path& path) {
  const MappedFile file = MappedFile::open(path);
  const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()),
                              file.bytes().size());
  if (text.starts_with("SQLite format 3")) {
    Store store(path, Store::Open::existing);
    return winners_of(store);
  }
  return parse_winners(text, path.string());
}

const std::vector<WinnerSet>& shipped_winners() {
  static const std::vector<WinnerSet> sets = [] {
    std::vector<WinnerSet> all;
    for (const ShippedFile& file : shipped_files()) {
      for (WinnerSet& set : parse_winners(file.text, file.name)) all.push_back(std::move(set));
    }
    return all;
  }();
  return sets;
}

bool WinnerSet::from_model() const {
  return std::any_of(winners.begin(), winners.end(),
                     [](const Winner& w) { return w.cell.origin == kModelOrigin; });
}

CpuMatch cpu_match(const WinnerQuery& query, const std::string& set_cpu) {
  if (!query.cpu.empty() && set_cpu == query.cpu) return CpuMatch::cpu;
  const bool same_design = !query.micro_architecture.empty() &&
                           micro_architecture_of(set_cpu) == query.micro_architecture;
  return same_design ? CpuMatch::micro_architecture : CpuMatch::isa;
}

const WinnerSet* find_set(const std::vector<WinnerSet>& sets, const WinnerQuery& query,
                          const std::vector<int64_t>& rows, std::string& note) {
  const WinnerSet* best = nullptr;
  bool stale = false, other_cpu = false, emulated = false;
  for (const WinnerSet& set : sets) {
    if (set.key.target != query.target || !same_block(set.key.ffn, query.ffn) ||
        set.winners.empty())
      continue;
    if (set.key.emulated)
      emulated = true;
    else if (!set.current())
      stale = true;
    else if (set.key.cpu != query.cpu && !query.any_cpu)
      other_cpu = true;
    else {
      const auto rank = [&](const WinnerSet& s) {
        return std::tuple(cpu_match(query, s.key.cpu), s.from_model(), distance_to(s, rows));
      };
      if (!best || rank(set) < rank(*best)) best = &set;
    }
  }
  const std::string what = query.ffn.variant.name + " " + query.ffn.shape.text() + " " +
                           query.ffn.dtypes() + " on " + info(query.target).name;
  if (best) note = note_on(query, *best);
  if (!best && stale)
    note = "the winners of " + what + " are of another generator or Halide version";
  else if (!best && other_cpu)
    note = "the winners of " + what + " are of another CPU than " + query.cpu;
  else if (!best && emulated)
    note = "the winners of " + what + " were measured under an emulator";
  else if (!best)
    note = "no winners of " + what;
  return best;
}

std::optional<Winner> find_winner(const WinnerSet& set, int64_t rows, int threads) {
  std::optional<Winner> best;
  const auto rank = [&](const Winner& w) {
    return std::tuple(row_distance(w.cell.bucket.tuned_rows, rows), std::abs(w.threads - threads),
                      w.threads);
  };
  for (const Winner& w : set.winners) {
    if (!best || rank(w) < rank(*best)) best = w;
  }
  return best;
}

}  // namespace gatefold
