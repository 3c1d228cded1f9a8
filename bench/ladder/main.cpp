#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <string>

#include "bench/ladder/report.h"
#include "formats/atomic_file.h"
#include "spec/error.h"
#include "spec/names.h"
#include "spec/shape_flags.h"
#include "tuning/host.h"
#include "tuning/library_plan.h"
#include "tuning/run_folder.h"

namespace gatefold {
namespace {

struct Flags {
  std::string variant = "swiglu", shape = "896x4864", dtype = "f32", target = "host",
              schedule = "tuned", markdown;
  int64_t rows = 16;
  int threads = 1;
  double seconds = 60;
  uint64_t seed = 1;
  bool autoscheduler = false;
};

void declare(CLI::App& app, Flags& f) {
  app.add_option("--variant", f.variant)->capture_default_str();
  app.add_option("--shape", f.shape, "D_MODELxD_FF")->capture_default_str();
  app.add_option("--rows", f.rows)->capture_default_str()->check(CLI::Range(1, 1 << 20));
  app.add_option("--dtype", f.dtype)->capture_default_str();
  app.add_option("--target", f.target, "a target or host")->capture_default_str();
  app.add_option("--threads", f.threads)->capture_default_str()->check(CLI::Range(1, 1024));
  app.add_option("--schedule", f.schedule, "of the last step, as `gatefold generate` takes it")
      ->capture_default_str();
  app.add_option("--seconds", f.seconds, "for timing, all steps together")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  app.add_option("--seed", f.seed, "of weights and inputs")->capture_default_str();
  app.add_flag("--autoscheduler", f.autoscheduler,
               "one more line: the schedule of Halide's autoscheduler (Adams2019)");
  app.add_option("--markdown", f.markdown, "writes the page docs/schedule_ladder.md to this file");
}

/// To a terminal only: the steps are the output.
void show(const std::string& what) {
  if (isatty(STDERR_FILENO) == 1) std::cerr << "gatefold-ladder: " << what << "\n";
}

MeasureRequest request_of(const Flags& f) {
  MeasureRequest request;
  request.ffn.variant = variant_named(f.variant);
  request.ffn.dtype = dtype_named(f.dtype);
  request.ffn.shape = parse_shape(f.shape, "--shape");
  request.target = f.target == "host" ? host_target() : target_named(f.target).target;
  request.rows = f.rows;
  request.threads = f.threads;
  request.seed = f.seed;
  return request;
}

/// What `gatefold generate` would take for these rows; of several the one tuned for most nearly as
/// many threads.
LibraryKernel shipped_kernel(const MeasureRequest& r, const std::string& schedule) {
  LibraryRequest request;
  request.ffn = r.ffn;
  request.targets = {r.target};
  request.rows = {r.rows};
  request.cpu = host_cpu_profile();
  request.schedule = schedule;
  const PlannedLibrary planned = plan_library(request);
  for (const std::string& note : planned.notes) show("note: " + note);
  const auto& kernels = planned.plan.kernels;
  return *std::min_element(kernels.begin(), kernels.end(), [&](const auto& a, const auto& b) {
    return std::abs(a.record.tuned_threads - r.threads) <
           std::abs(b.record.tuned_threads - r.threads);
  });
}

int climb(const Flags& flags) {
  LadderRun run;
  run.request = request_of(flags);
  run.schedule = flags.schedule;
  run.seconds = flags.seconds;
  const LibraryKernel shipped = shipped_kernel(run.request, flags.schedule);
  run.origin = shipped.record.origin;
  run.steps = ladder_to(shipped.spec);
  if (flags.autoscheduler) run.steps.push_back(autoscheduled(run.steps.front()));
  const RunFolder folder;
  run.compiled = compile_steps(run.steps, flags.threads, folder.path(), show);
  for (const CompiledStep& step : run.compiled) run.request.libraries.push_back(step.library);
  run.figures = measure_steps(run.request, flags.seconds, show);
  std::cout << ladder_text(run);
  if (!flags.markdown.empty() && run.ok()) write_file_atomically(flags.markdown, ladder_page(run));
  return run.ok() ? 0 : static_cast<int>(ErrorKind::failed);
}

}  // namespace
}  // namespace gatefold

/// The same block in six schedules, from naive to shipped, each checked and timed.
int main(int argc, char** argv) {
  CLI::App app{"gatefold-ladder: one block in six schedules, from naive to shipped"};
  gatefold::Flags flags;
  gatefold::declare(app, flags);
  try {
    app.parse(argc, argv);
    return gatefold::climb(flags);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);
    std::cerr << "gatefold-ladder: error: " << e.what() << "\n";
    return 2;
  } catch (const gatefold::Error& e) {
    std::cerr << "gatefold-ladder: error: " << e.what() << "\n";
    return e.exit_code();
  } catch (const std::exception& e) {
    std::cerr << "gatefold-ladder: error: " << e.what() << "\n";
    return 1;
  }
}
