#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "accuracy/loaded_library.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/roof_json.h"
#include "cli/run_options.h"
#include "gatefold/gatefold.h"
#include "runtime/cuda/device.h"
#include "runtime/machine.h"
#include "spec/target.h"
#include "tuning/host.h"
#include "tuning/measure_lock.h"
#include "tuning/roof.h"
#include "tuning/toolchain.h"
#include "tuning/wakeup.h"

namespace gatefold::cli {
namespace {

struct Options {
  int threads = 0;
  bool json = false;
};

struct Measured {
  Roof roof;
  Wakeup wakeup;
};

Measured measure(const std::string& isa, int threads) {
  Progress progress;
  LockOptions lock_options;
  lock_options.waiting = [&progress](const std::string& whom) { progress.show(whom); };
  lock_options.stop = &interrupt_flag();
  const MeasureLock lock(lock_options);
  throw_if_interrupted();
  progress.show("measuring what this machine reaches at most");
  Measured measured;
  if (!isa.empty()) measured.roof = measure_roof(target_named(isa).target, threads);
  throw_if_interrupted();
  measured.wakeup = measure_wakeup(threads);
  throw_if_interrupted();
  return measured;
}

Json known(double value) { return std::isnan(value) ? Json() : Json(value); }

Json wakeup_json(const Wakeup& w) {
  return {{"threads", w.threads}, {"warm_us", known(w.warm_us)}, {"asleep_us", known(w.asleep_us)}};
}

Json cache_json(const Cache& cache) {
  return {{"bytes", cache.bytes}, {"ways", cache.ways}, {"shared_by", cache.shared_by}};
}

Json machine_json(const Machine& m) {
  Json usable = Json::array();
  for (const TargetInfo& target : all_targets()) {
    if (gf_isa_usable(target.name.c_str())) usable.push_back(target.name);
  }
  return {
      {"cpu", host_cpu_name()},
      {"vendor", m.vendor},
      {"isa", m.isa},
      {"usable_targets", usable},
      {"threads", m.threads},
      {"caches", {{"l1d", cache_json(m.l1d)}, {"l2", cache_json(m.l2)}, {"l3", cache_json(m.l3)}}}};
}

Json tools_json(const std::vector<Tool>& tools) {
  Json out = Json::array();
  for (const Tool& tool : tools) {
    out.push_back({{"name", tool.name},
                   {"purpose", tool.purpose},
                   {"path", tool.path.empty() ? Json() : Json(tool.path)},
                   {"get", tool.get}});
  }
  return out;
}

std::string version_text(int driver_version) {
  return fmt::format("{}.{}", driver_version / 1000, driver_version % 1000 / 10);
}
std::string capability_text(int capability) {
  return fmt::format("{}.{}", capability / 10, capability % 10);
}

/// What is not known is null.
Json cuda_json(const cuda::Availability& a) {
  const bool found = a.device.ordinal >= 0;
  const auto if_found = [found](Json value) { return found ? value : Json(); };
  return {{"usable", a.usable},
          {"reason", a.usable ? Json() : Json(a.reason)},
          {"driver", a.driver_version > 0 ? Json(version_text(a.driver_version)) : Json()},
          {"devices", a.devices},
          {"device", if_found(a.device.name)},
          {"capability", if_found(capability_text(a.device.capability))},
          {"memory_bytes", if_found(a.device.memory_bytes)}};
}

void print_cuda(const cuda::Availability& a) {
  if (!a.usable) {
    print_line(fmt::format("CUDA: not usable: {}", a.reason));
    return;
  }
  print_line(fmt::format("CUDA: {}, compute capability {}, {}, driver of CUDA {}", a.device.name,
                         capability_text(a.device.capability),
                         bytes_text(static_cast<int64_t>(a.device.memory_bytes)),
                         version_text(a.driver_version)));
}

void print_machine(const Machine& m) {
  Table table({"target", "usable here"});
  for (const TargetInfo& target : all_targets()) {
    table.add({target.name, gf_isa_usable(target.name.c_str()) ? "yes" : "no"});
  }
  print_line(host_cpu_name());
  print_line(fmt::format("caches: L1d {}, L2 {}, L3 {}; {} threads", bytes_text(m.l1d.bytes),
                         bytes_text(m.l2.bytes), bytes_text(m.l3.bytes), m.threads));
  table.print();
}

void print_roof(const Roof& roof) {
  Table table({"measured roof", ">value", "unit", "by"});
  const auto number = [](double value) { return fmt::format("{:.1f}", value); };
  table.add({"f32", number(roof.f32_gflops), "GFLOP/s", roof.f32_instruction});
  table.add({"bf16", number(roof.bf16_gflops), "GFLOP/s", roof.bf16_instruction});
  table.add({"int8", number(roof.i8_gops), "GOP/s", roof.i8_instruction});
  table.add({"memory read", number(roof.read_gbps), "GB/s", roof.read_pattern});
  print_line(fmt::format("with {} threads:", roof.threads));
  table.print();
}

void print_wakeup(const Wakeup& w) {
  if (std::isnan(w.warm_us)) {
    print_note(w.threads < 2 ? "one thread: there are no workers to wake"
                             : "waking the workers: the system did not give all threads");
    return;
  }
  print_line(fmt::format("starting a loop on {} threads: {:.1f} us, {:.1f} us if they sleep",
                         w.threads, w.warm_us, w.asleep_us));
}

void print_tools(const std::vector<Tool>& tools) {
  Table table({"tool", "for", "found"});
  for (const Tool& tool : tools) {
    table.add({tool.name, tool.purpose, tool.path.empty() ? "missing: " + tool.get : tool.path});
  }
  table.print();
}

int run(const Options& options) {
  const Machine machine = read_machine();
  const int threads = threads_in_use(options.threads);
  const auto [roof, wakeup] = measure(machine.isa, threads);
  const std::vector<Tool> tools = find_tools();
  const cuda::Availability cuda = cuda::availability();
  if (options.json) {
    print_json({{"version", gf_version()},
                {"machine", machine_json(machine)},
                {"roof", roof_json(roof)},
                {"wakeup", wakeup_json(wakeup)},
                {"cuda", cuda_json(cuda)},
                {"tools", tools_json(tools)}});
    return 0;
  }
  print_machine(machine);
  if (machine.isa.empty()) {
    print_note("this CPU runs none of the targets: libraries can be generated, not run");
  } else {
    print_roof(roof);
  }
  print_wakeup(wakeup);
  print_cuda(cuda);
  print_tools(tools);
  return 0;
}

}  // namespace

void add_doctor_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("doctor", "This machine: ISA, caches, measured roof, CUDA, tools");
  command->add_option("--threads", options->threads, kThreadsHelp)->check(CLI::Range(1, 1024));
  command->add_flag("--json", options->json, "one JSON object on stdout");
  command->footer("Example:\n  gatefold doctor");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace gatefold::cli
