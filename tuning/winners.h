#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "generator/library.h"
#include "spec/machine.h"
#include "spec/micro_architecture.h"
#include "tuning/store.h"

namespace gatefold {

/// What won a final race: the point for a row count and a thread count.
struct Winner {
  RaceCell cell;
  int threads = 1;
};

/// Winners that belong together: one block, one CPU, one ISA and, since a library holds its weights
/// once, one packing.
struct WinnerSet {
  WorkloadKey key;  ///< its threads mean nothing here
  std::string packing;
  std::vector<Winner> winners;

  bool current() const { return key.current(); }
  /// Whether the cost model worked them out for a CPU that was not at hand.
  bool from_model() const;
};

/// Where winners are from: a tuning database or an exported file, told apart by their content.
std::vector<WinnerSet> load_winners(const std::filesystem::path& path);
std::vector<WinnerSet> winners_of(Store& store);
std::vector<WinnerSet> parse_winners(std::string_view json, const std::string& file);

/// Those that came with this build: schedules/tuned/*.json.
const std::vector<WinnerSet>& shipped_winners();

/// The file format of schedules/tuned/*.json; parse_winners reads it back. Emulated ones are left
/// out.
std::string winners_json(const std::vector<WinnerSet>& sets);

struct WinnerQuery {
  FfnSpec ffn;
  Target target = Target::x86_avx2;
  std::string cpu;
  bool any_cpu = false;  ///< where this CPU was not tuned, take another's of the same ISA
  std::string micro_architecture = micro_architecture_of(cpu);  ///< empty: not known
};

/// What winners of `set_cpu` are to the wanted CPU; for the same target.
CpuMatch cpu_match(const WinnerQuery& query, const std::string& set_cpu);

/// The set to use for these rows: of this CPU, then of its micro-architecture, then of others, and
/// of equals measured ones, then the nearest to the rows, then the first. `note` says why there is
/// none, or what about it is not exact. Emulated ones are never taken.
const WinnerSet* find_set(const std::vector<WinnerSet>& sets, const WinnerQuery& query,
                          const std::vector<int64_t>& rows, std::string& note);

/// The set's winner for the nearest row count (by ratio), and of those the nearest thread count.
std::optional<Winner> find_winner(const WinnerSet& set, int64_t rows, int threads);

/// The kernels of a library, by row bucket: the winners' where there are legal ones (one for each
/// tuned thread count), else the analytic default, with a note each. Tuned kernels have the origin
/// "tuned", whichever point won, those of the cost model "model"; times and margins only where
/// these rows and this CPU were tuned.
struct Schedule {
  std::vector<LibraryKernel> kernels;
  std::vector<std::string> notes;
};
Schedule schedule_from_winners(const std::vector<WinnerSet>& sets, const WinnerQuery& query,
                               const std::vector<int64_t>& rows, const CpuProfile& cpu);

/// Every bucket by the analytic default under the default packing.
Schedule default_schedule(const FfnSpec& ffn, Target target, const std::vector<int64_t>& rows,
                          const CpuProfile& cpu);

}  // namespace gatefold
