#include "tuning/measurer.h"

namespace gatefold {
namespace {

WorkerOptions worker_options(const Measurer::Options& options) {
  WorkerOptions worker = options.worker;
  if (!worker.waiting) worker.waiting = options.report;
  return worker;
}

}  // namespace

Measurer::Measurer(Options options)
    : options_(std::move(options)),
      worker_(worker_options(options_)),
      roof_(options_.known.value_or(Roof{})) {
  if (!options_.lock.waiting) options_.lock.waiting = options_.report;
}

/// Under the lock of the machine that measures. False if stopped.
bool Measurer::add_roof() {
  options_.report("measuring what the machine reaches");
  Roof now;
  if (options_.worker.elsewhere) {
    const auto there = worker_.roof({options_.target, options_.threads, true});
    if (!there) return false;
    now = *there;
  } else {
    now = measure_roof(options_.target, options_.threads);
  }
  roof_ = roof_.read_gbps == 0 ? now : better_of(roof_, now);
  return true;
}

MeasureReply Measurer::measure(MeasureRequest request) {
  request.lock = options_.worker.elsewhere;
  if (!request.lock) return measure_here(request);
  if (roof_.read_gbps == 0 && !add_roof()) return {};
  return worker_.measure(request);
}

MeasureReply Measurer::measure_here(const MeasureRequest& request) {
  const MeasureLock lock(options_.lock);
  if (!lock.held()) return {};
  if (roof_.read_gbps == 0 && !add_roof()) return {};
  return worker_.measure(request);
}

void Measurer::measure_roof_again() {
  if (options_.known) return;
  if (options_.worker.elsewhere) {
    add_roof();
    return;
  }
  const MeasureLock lock(options_.lock);
  if (lock.held()) add_roof();
}

}  // namespace gatefold
