#include <fmt/format.h>

#include <memory>
#include <optional>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/spec_options.h"
#include "formats/atomic_file.h"
#include "gatefold/gatefold.h"
#include "spec/error.h"
#include "tuning/host.h"
#include "tuning/library_plan.h"
#include "tuning/model_schedule.h"

namespace gatefold::cli {
namespace {

struct Options {
  SpecOptions spec;
  std::string schedule = "default";
  std::optional<std::string> cpu;
  std::string name, output, export_file;
  int jobs = 0;
  bool json = false;
};

/// This machine's caches say nothing of one of another architecture.
CpuProfile profile_of(const std::optional<std::string>& name, Arch arch) {
  if (name) return cpu_profile_named(*name, arch);
  return arch == host_arch() ? host_cpu_profile() : cpu_profile_named("generic");
}

int jobs_of(const Options& o) { return o.jobs > 0 ? o.jobs : gf_default_threads(); }

/// What the model chooses is compiled twice: its code is looked at before it is taken.
CodeCheck check_for(const Options& o, const CpuProfile& cpu) {
  if (o.schedule != "model") return {};
  return check_by_compiling({.emitter = default_emitter(),
                             .jobs = jobs_of(o),
                             .core = cpu.core,
                             .stop = &interrupt_flag()});
}

/// What was measured is exported by who measured it.
void check_export(const Options& o) {
  if (o.export_file.empty()) return;
  if (o.schedule != "model") {
    fail_usage("--export: with --schedule " + o.schedule +
               ", wanted model; `gatefold tune` exports what was measured");
  }
  const AtomicFile probe(o.export_file);
}

/// The winners must not stand in the place of what makes the library.
void check_export_apart(const Options& o, const std::string& library) {
  if (o.export_file.empty()) return;
  const auto whole = [](const std::string& path) {
    return std::filesystem::absolute(path).lexically_normal();
  };
  const std::filesystem::path file = whole(o.export_file), folder = whole(o.output);
  const bool own =
      file.parent_path() == folder && (file.stem() == library || file.stem() == "lib" + library);
  if (!own && file != folder) return;
  fail_usage("--export: '" + o.export_file + "', wanted a file that is none of library " + library +
             "'s");
}

/// The model's points as winners, to be read again by --schedule FILE.json.
void export_winners(const Options& o, const LibraryPlan& plan, const CpuProfile& cpu) {
  if (o.export_file.empty()) return;
  const std::string name = cpu.name == kHostProfile ? host_cpu_name() : cpu.name;
  write_file_atomically(o.export_file, winners_json(model_winners(plan.kernels, name)));
}

LibraryOptions library_options(const Options& o, Progress& progress) {
  LibraryOptions options;
  options.emitter = default_emitter();
  options.tensor_core_emitter = default_tensor_core_emitter();
  options.directory = o.output;
  options.jobs = jobs_of(o);
  options.stop = &interrupt_flag();
  options.progress = [&progress](size_t done, size_t total) {
    progress.show(fmt::format("compiled {} of {} kernels", done, total));
  };
  return options;
}

Json rows_max_json(const RowBucket& rows) {
  return rows.rows_max == RowBucket::kOpen ? Json() : Json(rows.rows_max);
}

Json json_of(const LibraryPlan& plan, const std::vector<std::string>& notes,
             const std::filesystem::path& manifest) {
  Json kernels = Json::array();
  for (const LibraryKernel& k : plan.kernels) {
    kernels.push_back({{"name", kernel_name(k.spec)},
                       {"rows_min", k.spec.rows.rows_min},
                       {"rows_max", rows_max_json(k.spec.rows)},
                       {"target", info(k.spec.target).name},
                       {"packing", k.spec.packing.text()},
                       {"point", k.point()},
                       {"origin", k.record.origin},
                       {"match", k.record.match}});
  }
  const FfnSpec& ffn = plan.ffn;
  Json library = {{"library", manifest.string()},
                  {"name", plan.name},
                  {"architecture", info(arch_of(plan)).name},
                  {"variant", ffn.variant.name},
                  {"formula", ffn.variant.formula()}};
  library.update(block_json(ffn));
  library.update({{"kernels", kernels}, {"notes", notes}});
  return library;
}

std::string rows_text(const RowBucket& rows) {
  if (rows.rows_max == RowBucket::kOpen) return fmt::format("{} up", rows.rows_min);
  if (rows.rows_max == rows.rows_min) return std::to_string(rows.rows_min);
  return fmt::format("{}-{}", rows.rows_min, rows.rows_max);
}

void print_plan(const LibraryPlan& plan, const std::filesystem::path& manifest) {
  print_line(fmt::format("{}: {}", describe(plan.ffn), plan.ffn.variant.formula()));
  Table table({"target", "rows", "schedule", "origin", "match"});
  for (const LibraryKernel& k : plan.kernels) {
    table.add({info(k.spec.target).name, rows_text(k.spec.rows), k.point(), k.record.origin,
               k.record.match});
  }
  table.print();
  print_line("wrote " + manifest.string());
}

int run(const Options& o) {
  const Spec spec = resolve(o.spec);
  refuse_devices(spec.targets, "generate", Device::cuda);
  const CpuProfile cpu = profile_of(o.cpu, arch_of(spec.targets));
  check_export(o);
  Progress progress;
  progress.show("choosing schedules");
  const auto [plan, notes] = plan_library({.name = o.name,
                                           .ffn = spec.ffn,
                                           .targets = spec.targets,
                                           .rows = spec.rows,
                                           .cpu = cpu,
                                           .schedule = o.schedule,
                                           .check = check_for(o, cpu),
                                           .tensor_cores = !default_tensor_core_emitter().empty()});
  check_export_apart(o, plan.name);
  progress.show(fmt::format("compiling {} kernels", plan.kernels.size()));
  const std::filesystem::path manifest = build_library(plan, library_options(o, progress));
  export_winners(o, plan, cpu);
  progress.clear();
  if (o.json) {
    print_json(json_of(plan, notes, manifest));
  } else {
    print_plan(plan, manifest);
  }
  for (const std::string& note : notes) print_note(note);
  return 0;
}

}  // namespace

void add_generate_command(CLI::App& app, Action& action) {
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("generate", "Compiles a block's kernels into a library");
  add_spec_options(*command, o->spec);
  command
      ->add_option("--schedule", o->schedule,
                   "default, model (the cost model's best for --cpu), tuned (shipped winners), "
                   "FILE.db, FILE.json, or a point "
                   "\"mr=6 streams=2 …\"")
      ->capture_default_str();
  command->add_option(
      "--cpu", o->cpu,
      "CPU that default and model are for; see `list cpus` (default: this machine's; generic for "
      "another architecture)");
  command->add_option("--export", o->export_file,
                      "writes the model's points as winners that --schedule FILE.json reads");
  command->add_option("--name", o->name, "C identifier (default: from the description)");
  command->add_option("-o,--output", o->output, "folder, made if it is missing")->required();
  command->add_option("--jobs", o->jobs, "compilers at once")->check(CLI::Range(1, 1024));
  command->add_flag("--json", o->json, "one JSON object on stdout");
  command->footer(
      "Example:\n  gatefold generate --preset llama-2-7b --rows 1,4,16 --name k -o lib");
  command->callback([o, &action] { action = [o] { return run(*o); }; });
}

}  // namespace gatefold::cli
