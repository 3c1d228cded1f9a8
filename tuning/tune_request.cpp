#include "tuning/tune_request.h"

#include <unistd.h>

#include <algorithm>

#include "gatefold/gatefold.h"
#include "generator/link_tools.h"
#include "schedules/space.h"
#include "spec/error.h"
#include "tuning/race_report.h"
#include "tuning/strategy.h"

namespace gatefold {
namespace {

SearchSpace full_space(const TuneRequest& r) {
  SearchSpace space;
  space.ffn = r.ffn;
  space.target = r.target;
  space.cpu = r.cpu;
  space.buckets = row_buckets(r.rows);
  space.packings = legal_packings(r.ffn, r.target);
  return space;
}

/// A block whose default cannot be emitted cannot be tuned either, e.g. one that is too large.
void check_defaults(const SearchSpace& space) {
  for (size_t b = 0; b < space.buckets.size(); ++b) {
    const KernelSpec kernel = space.kernel(0, b, space.default_point(0, b));
    if (const auto reason = why_illegal(kernel)) {
      fail_usage("cannot tune " + kernel_name(kernel) + ": " + *reason);
    }
  }
}

void check_worker(const std::vector<std::string>& command) {
  const std::string& program = command.at(0);
  if (program.find('/') != std::string::npos && access(program.c_str(), X_OK) != 0) {
    fail("gatefold-worker: " + program + " cannot be run");
  }
}

bool same_but_threads(WorkloadKey a, const WorkloadKey& b) {
  if (a.threads == b.threads) return false;
  a.threads = b.threads;
  return same_workload(a, b);
}

/// A library has one packing for all thread counts: where another count was tuned before, its
/// packing is the only one to choose from. What was tried of the others before still counts.
void keep_to_known_packing(SearchSpace& space, Store& store, const WorkloadKey& key,
                           std::vector<std::string>& notes) {
  for (const StoredRace& known : store.races()) {
    if (!same_but_threads(known.key, key)) continue;
    space.only_packing = space.packing_named(known.race.packing);
    if (!space.only_packing) continue;
    notes.push_back("packing '" + known.race.packing + "' as tuned for " +
                    std::to_string(known.key.threads) + " threads: a library has one for all");
    return;
  }
}

void check_target(const TuneRequest& r) {
  const std::string target = info(r.target).name;
  if (!r.elsewhere && info(r.target).arch != host_arch()) {
    fail_unavailable("--target: '" + target + "' is not available here: this machine is " +
                     info(host_arch()).name +
                     "; wanted --worker 'ssh HOST gatefold-worker', with a host that runs it");
  }
  if (r.elsewhere ? r.elsewhere->runs(r.target) : gf_isa_usable(target.c_str())) return;
  fail_unavailable("--target: '" + target + "' cannot run on " +
                   (r.elsewhere ? "the worker's CPU (" + r.elsewhere->cpu + ")" : "this CPU") +
                   ", so it cannot be tuned " + (r.elsewhere ? "there" : "here"));
}

}  // namespace

void check_block(const TuneRequest& r) {
  if (!r.ffn.shape.fixed()) {
    fail_usage("tune: sizes " + r.ffn.shape.text() + ", wanted fixed d_model and d_ff");
  }
  check_target(r);
  if (r.rows.empty()) fail_usage("--rows: empty, wanted numbers such as 1,4,16");
  check_defaults(full_space(r));
}

TuneRequest checked_request(TuneRequest r) {
  if (!r.budget_s && !r.trials) fail_usage("tune: neither --budget nor --trials given");
  if (r.budget_s && !(*r.budget_s > 0)) fail_usage("--budget: wanted more than 0 seconds");
  if (r.trials && *r.trials < 1) {
    fail_usage("--trials: " + std::to_string(*r.trials) + ", wanted 1 or more");
  }
  check_strategy(r.strategy);
  if (r.elsewhere) {
    r.cpu_name = r.elsewhere->cpu;
    r.cpu = r.elsewhere->profile;
    r.emulator = r.elsewhere->emulator;
  }
  check_block(r);
  if (r.threads < 0) fail_usage("--threads: " + std::to_string(r.threads) + ", wanted 1 or more");
  if (r.threads == 0) r.threads = r.elsewhere ? r.elsewhere->threads : gf_default_threads();
  // Looked for here: a program that is not there is no candidate's failure.
  find_link_tools(info(r.target).arch);
  if (r.builder.emitter.empty()) r.builder.emitter = default_emitter();
  check_worker(r.worker);
  r.builder.jobs = std::max(1, gf_default_threads());
  return r;
}

Measurer::Options measurer_options(const TuneRequest& r) {
  Measurer::Options options;
  options.worker.command = r.worker;
  options.worker.shown = r.worker_shown;
  options.worker.program = r.worker_program;
  options.worker.elsewhere = r.elsewhere.has_value();
  options.worker.setup_timeout_s = r.setup_seconds;
  options.worker.stop = r.stop;
  options.lock = r.lock;
  options.lock.stop = r.stop;
  options.known = r.roof;
  options.target = r.target;
  options.threads = r.threads;
  return options;
}

WorkloadKey workload_of(const TuneRequest& r) {
  WorkloadKey key;
  key.cpu = r.cpu_name;
  key.target = r.target;
  key.ffn = r.ffn;
  key.threads = r.threads;
  key.emulated = r.emulated();
  return key;
}

SearchSpace space_of(const TuneRequest& r, Store& store, std::vector<std::string>& notes) {
  SearchSpace space = full_space(r);
  keep_to_known_packing(space, store, workload_of(r), notes);
  return space;
}

}  // namespace gatefold
