#include "generator/emit_kernels.h"

#include "generator/process.h"
#include "generator/table_source.h"
#include "spec/names.h"

namespace gatefold {
namespace {

namespace fs = std::filesystem;
using Command = std::vector<std::string>;

std::string bucket_end(const RowBucket& rows) {
  return rows.rows_max == RowBucket::kOpen ? "open" : std::to_string(rows.rows_max);
}

void append(Command& to, const Command& more) { to.insert(to.end(), more.begin(), more.end()); }

Command of_block(const FfnSpec& ffn) {
  const auto size = [](int64_t d) { return d == Shape::kAny ? "any" : std::to_string(d); };
  const Variant& v = ffn.variant;
  Command flags = {"--variant",    v.name,
                   "--dtype",      info(ffn.dtype).name,
                   "--act-dtype",  info(ffn.act()).name,
                   "--accumulate", info(ffn.accumulate).name,
                   "--d-model",    size(ffn.shape.d_model),
                   "--d-ff",       size(ffn.shape.d_ff)};
  const Variant& usual = variant_named(v.name);
  const auto add = [&](const char* flag, float value, float usual_value) {
    if (value != usual_value) flags.push_back(std::string(flag) + "=" + shortest(value));
  };
  add("--slope", v.slope, usual.slope);
  add("--alpha", v.alpha, usual.alpha);
  add("--limit", v.limit, usual.limit);
  add("--up-offset", v.up_offset, usual.up_offset);
  if (ffn.bias) flags.push_back("--bias");
  if (ffn.residual) flags.push_back("--residual");
  return flags;
}

Command of_schedule(const KernelSpec& k) {
  return {"--target",   info(k.target).name, "--rows-min",   std::to_string(k.rows.rows_min),
          "--rows-max", bucket_end(k.rows),  "--tuned-rows", std::to_string(k.rows.tuned_rows),
          "--packing",  k.packing.text(),    "--point",      k.point.text()};
}

/// Both emitters take the same flags, but the one for tensor cores writes PTX as its object, and
/// what a library is made of only if it is asked to.
Command emit_command(const LibraryPlan& plan, size_t i, const fs::path& file,
                     const LibraryOptions& options) {
  const LibraryKernel& kernel = plan.kernels[i];
  Command command = {(kernel.tensor_cores ? options.tensor_core_emitter : options.emitter).string(),
                     "--name", kernel_symbol(plan, i)};
  append(command, of_block(kernel.spec.ffn));
  append(command, of_schedule(kernel.spec));
  if (kernel.tensor_cores) {
    append(command, {"-o", file.string() + ".ptx", "--tensor-core", kernel.tensor_cores->text(),
                     "--source", file.string()});
  } else {
    append(command, {"-o", file.string()});
  }
  return command;
}

}  // namespace

EmittedKernels emit_kernels(const LibraryPlan& plan, const LibraryOptions& options,
                            const fs::path& folder) {
  EmittedKernels emitted;
  std::vector<Command> commands;
  for (size_t i = 0; i < plan.kernels.size(); ++i) {
    const bool source = plan.kernels[i].tensor_cores.has_value();
    const fs::path file = folder / ("kernel_" + std::to_string(i) + (source ? ".c" : ".o"));
    (source ? emitted.sources : emitted.objects).push_back(file.string());
    commands.push_back(emit_command(plan, i, file, options));
  }
  size_t finished = 0;
  const ProcessLimits limits{options.compile_timeout_s, options.compile_memory_bytes, options.stop};
  if (options.progress) options.progress(0, commands.size());
  run_processes(commands, options.jobs, limits, [&](size_t i, const ProcessResult& r) {
    if (r.exit_code == 127) fail(commands[i][0] + ": cannot be run: " + r.errors);
    if (!r.ok()) {
      const auto kind = r.timed_out ? EmitFailure::Kind::timeout
                        : r.signal  ? EmitFailure::Kind::crash
                                    : EmitFailure::Kind::error;
      throw EmitFailure(kind, "compiling " + kernel_name(plan.kernels[i].spec) + " " +
                                  how_it_ended(r, limits.timeout_s));
    }
    ++finished;
    if (options.progress) options.progress(finished, commands.size());
    return true;
  });
  if (finished < commands.size()) fail("library " + plan.name + ": interrupted");
  return emitted;
}

}  // namespace gatefold
