#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "spec/ffn_spec.h"
#include "spec/machine.h"
#include "tuning/builder.h"
#include "tuning/emulator.h"
#include "tuning/host.h"
#include "tuning/measure_lock.h"
#include "tuning/roof.h"
#include "tuning/store.h"
#include "tuning/strategy.h"
#include "tuning/worker_client.h"

namespace gatefold {

struct TuneProgress {
  std::string phase;  ///< "compiling 4 kernels", "final race, 16 rows", …
  int trials = 0;
  std::optional<int> trials_wanted;
  double elapsed_s = 0;
  std::optional<double> budget_s;
  std::optional<double> speedup;  ///< best so far over the default, as screened
  int measured_now = 0;           ///< of the trials, those of this run
};

struct TuneRequest {
  FfnSpec ffn;  ///< fixed sizes
  Target target = Target::x86_avx2;
  std::vector<int64_t> rows;
  int threads = 0;  ///< 0: the runtime's default

  std::optional<double> budget_s;  ///< of this run
  std::optional<int> trials;       ///< stored ones of this workload included
  std::string strategy = kDefaultStrategy;
  CostModel cost_model = {};  ///< where the search begins; without one it begins all over the space
  uint64_t seed = 1;
  std::filesystem::path database;

  CpuProfile cpu = host_cpu_profile();
  std::string cpu_name = host_cpu_name();
  std::string emulator = this_emulator();  ///< that the measuring machine is; empty: a real one
  bool emulated() const { return !emulator.empty(); }
  std::optional<Roof> roof;  ///< of this target and thread count, if it is known already
  std::vector<std::string> worker = {default_worker().string()};
  std::string worker_shown;                           ///< what messages call it; empty: its words
  std::shared_ptr<const std::string> worker_program;  ///< WorkerOptions::program
  std::optional<WorkerMachine> elsewhere;  ///< where it measures, if it need not be this machine
  double setup_seconds = 120;              ///< that a worker may take to make and pack the weights
  double check_seconds = 15;  ///< to load and check a candidate, beside the runs themselves
  BuilderOptions builder;     ///< without an emitter: the one that belongs to this program
  LockOptions lock;
  std::function<void(const TuneProgress&)> progress;
  const std::atomic<bool>* stop = nullptr;  ///< set by Ctrl-C: finished work is kept
};

/// Where the time of a run went; what is in neither part is the tuner's own.
struct TuneSeconds {
  double total = 0;
  double compiling = 0;
  double measuring = 0;                ///< with what the worker prepares and waits for
  std::optional<double> first_result;  ///< from the start to the first trial that ran
};

struct TuneResult {
  int trials = 0;  ///< all stored ones of this workload
  int ok = 0;
  std::map<std::string, int> failed;  ///< by kind
  int measured_now = 0;               ///< trials of this run
  TuneSeconds seconds;
  RaceRecord race;                ///< no cells if interrupted before there was one
  std::optional<double> speedup;  ///< geometric mean over the cells
  bool interrupted = false;
  bool race_reused = false;  ///< nothing new was tried, so nothing was measured again
  std::vector<std::string> notes;
};

/// Default time / median time of one cell; nothing where the default has no time.
std::optional<double> speedup_of(const RaceCell& cell);

/// Searches the schedules of all row buckets under one packing and lets the best race against the
/// default. Every trial is committed before the next; a run with the same database goes on where
/// the last one ended. Throws gatefold::Error on wrong requests, and when nothing ran at all.
TuneResult tune(const TuneRequest& request);

}  // namespace gatefold
