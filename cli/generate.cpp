#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/spec_options.h"
#include "gatefold/gatefold.h"
#include "spec/error.h"
#include "tuning/host.h"
#include "tuning/library_plan.h"

namespace gatefold::cli {
namespace {

struct Options {
  SpecOptions spec;
  std::string schedule = "default";
  std::string cpu, name, output;
  int jobs = 0;
  bool json = false;
};

CpuProfile profile_of(const std::string& name) {
  return name.empty() ? host_cpu_profile() : cpu_profile_named(name);
}

LibraryOptions library_options(const Options& o, Progress& progress) {
  LibraryOptions options;
  options.emitter = default_emitter();
  options.directory = o.output;
  options.jobs = o.jobs > 0 ? o.jobs : gf_default_threads();
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
                       {"point", k.spec.point.text()},
                       {"origin", k.record.origin},
                       {"match", k.record.match}});
  }
  const FfnSpec& ffn = plan.ffn;
  Json library = {{"library", manifest.string()},
                  {"name", plan.name},
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
    table.add({info(k.spec.target).name, rows_text(k.spec.rows), k.spec.point.text(),
               k.record.origin, k.record.match});
  }
  table.print();
  print_line("wrote " + manifest.string());
}

int run(const Options& o) {
  const Spec spec = resolve(o.spec);
  const auto [plan, notes] = plan_library({.name = o.name,
                                           .ffn = spec.ffn,
                                           .targets = spec.targets,
                                           .rows = spec.rows,
                                           .cpu = profile_of(o.cpu),
                                           .schedule = o.schedule});
  Progress progress;
  progress.show(fmt::format("compiling {} kernels", plan.kernels.size()));
  const std::filesystem::path manifest = build_library(plan, library_options(o, progress));
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
  command->add_option("--cpu", o->cpu,
                      "caches that default and model are for (default: this machine's)");
  command->add_option("--name", o->name, "C identifier (default: from the description)");
  command->add_option("-o,--output", o->output, "folder, made if it is missing")->required();
  command->add_option("--jobs", o->jobs, "compilers at once")->check(CLI::Range(1, 1024));
  command->add_flag("--json", o->json, "one JSON object on stdout");
  command->footer(
      "Example:\n  gatefold generate --preset llama-2-7b --rows 1,4,16 --name k -o lib");
  command->callback([o, &action] { action = [o] { return run(*o); }; });
}

}  // namespace gatefold::cli
