#include "cli/spec_options.h"

#include <algorithm>

#include "spec/error.h"
#include "spec/names.h"
#include "spec/presets.h"
#include "tuning/host.h"

namespace gatefold::cli {
namespace {

std::vector<Target> parse_targets(const std::string& list) {
  std::vector<Target> targets;
  for (const std::string& word : split_list(list)) {
    if (word.empty()) fail_usage("--target: '" + list + "' has an empty name, wanted T[,T…]");
    const Target target = word == "host" ? host_target() : target_named(word).target;
    if (std::find(targets.begin(), targets.end(), target) != targets.end()) {
      fail_usage("--target: '" + info(target).name + "' stands twice in '" + list + "'");
    }
    targets.push_back(target);
  }
  std::sort(targets.begin(), targets.end());
  return targets;
}

void check_f16_sums(const std::vector<Target>& targets) {
  for (const Target target : targets) {
    if (info(target).sums_f16) continue;
    fail_usage("--accumulate: 'f16' on target '" + info(target).name +
               "', wanted f32 or one with f16 arithmetic");
  }
}

/// What this machine can do says nothing of another architecture.
DType default_dtype(Arch arch) { return arch == host_arch() ? host_dtype() : DType::f32; }

std::optional<Preset> preset_of(const SpecOptions& o) {
  return o.preset ? std::optional(preset_named(*o.preset)) : std::nullopt;
}

int64_t dimension(const std::optional<std::string>& text, const char* flag,
                  const std::optional<Preset>& preset, int64_t Preset::*member) {
  if (text) return parse_dimension(*text, flag);
  if (preset) return (*preset).*member;
  fail_usage(std::string(flag) + ": missing, wanted it or --preset");
}

const float* pointer(const std::optional<float>& value) { return value ? &*value : nullptr; }

}  // namespace

void add_variant_parameters(CLI::App& command, SpecOptions& o) {
  command.add_option("--slope", o.slope, "leaky_relu: factor below 0");
  command.add_option("--alpha", o.alpha,
                     "silu, quick_gelu, swiglu, swiglu_oai: z*sigmoid(alpha*z)");
  command.add_option("--limit", o.limit,
                     "gated: clamps the gate from above and the up branch (0: none)");
  command.add_option("--up-offset", o.up_offset, "gated: added to the up branch");
}

void add_spec_options(CLI::App& command, SpecOptions& o) {
  command.add_option("--target", o.target, "T[,T…]; see `list targets`")->capture_default_str();
  command.add_option("--preset", o.preset,
                     "a model's block: variant, sizes, biases; see `list presets`");
  command.add_option("--variant", o.variant, "see `list variants`");
  command.add_option("--d-model", o.d_model, "N or any");
  command.add_option("--d-ff", o.d_ff, "N or any");
  command.add_option("--dtype", o.dtype,
                     "storage type of the weights (default: bf16 if this CPU has it, else f32)");
  command.add_option("--act-dtype", o.act_dtype,
                     "type of x and y: --dtype's (default) or f32 beside 16-bit weights");
  command.add_option("--accumulate", o.accumulate,
                     "type of the sums: f32 (default), or f16 with --dtype f16 where a target has "
                     "f16 arithmetic");
  command.add_option("--rows", o.rows, "row buckets, ascending")->capture_default_str();
  // Bound directly, CLI11 takes an optional<bool> for a counter and sets it to 0 before it parses.
  command.add_flag_function(
      "--bias,!--no-bias", [&o](int64_t count) { o.bias = count > 0; },
      "biases on all matrices (default: the preset's)");
  command.add_flag("--residual", o.residual,
                   "y = residual + FFN(x): each call takes one more input");
  add_variant_parameters(command, o);
}

Variant resolve_variant(const SpecOptions& o) {
  const std::optional<Preset> preset = preset_of(o);
  if (!o.variant && !preset) fail_usage("--variant: missing, wanted it or --preset");
  return with_parameters(variant_named(o.variant ? *o.variant : preset->variant),
                         {.slope = pointer(o.slope),
                          .alpha = pointer(o.alpha),
                          .limit = pointer(o.limit),
                          .up_offset = pointer(o.up_offset)});
}

Spec resolve(const SpecOptions& o) {
  const std::optional<Preset> preset = preset_of(o);
  Spec spec;
  spec.ffn.variant = resolve_variant(o);
  spec.ffn.shape.d_model = dimension(o.d_model, "--d-model", preset, &Preset::d_model);
  spec.ffn.shape.d_ff = dimension(o.d_ff, "--d-ff", preset, &Preset::d_ff);
  spec.targets = parse_targets(o.target);
  const Arch arch = arch_of(spec.targets);
  spec.ffn.dtype = o.dtype ? dtype_named(*o.dtype) : default_dtype(arch);
  if (o.act_dtype) set_act_dtype(spec.ffn, dtype_named(*o.act_dtype));
  if (o.accumulate) set_accumulate(spec.ffn, dtype_named(*o.accumulate));
  spec.ffn.bias = o.bias.value_or(preset && preset->bias);
  spec.ffn.residual = o.residual;
  spec.rows = parse_rows(o.rows);
  if (spec.ffn.accumulate == DType::f16) check_f16_sums(spec.targets);
  return spec;
}

void refuse_devices(const std::vector<Target>& targets, const char* command, Device known) {
  for (const Target target : targets) {
    const Device device = info(target).device;
    if (device == Device::cpu || device == known) continue;
    const std::string wanted = known == Device::cpu ? "" : std::string(" or ") + name(known);
    fail_usage("--target: '" + info(target).name + "' is of a device (" + name(device) +
               "), wanted one of a CPU" + wanted + ": `" + command + "` knows no others");
  }
}

std::string describe(const FfnSpec& ffn) {
  return ffn.variant.name + " " + ffn.shape.text() + " " + ffn.dtypes() + additions(ffn);
}

Json block_json(const FfnSpec& ffn) {
  return {{"dtype", info(ffn.dtype).name},
          {"act_dtype", info(ffn.act()).name},
          {"accumulate", info(ffn.accumulate).name},
          {"d_model", ffn.shape.d_model},
          {"d_ff", ffn.shape.d_ff},
          {"bias", ffn.bias},
          {"residual", ffn.residual}};
}

}  // namespace gatefold::cli
