#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/output.h"
#include "spec/ffn_spec.h"

namespace gatefold::cli {

/// The text of the SPEC flags that `generate` and `tune` share.
struct SpecOptions {
  std::string target = "host";
  std::optional<std::string> preset, variant, d_model, d_ff, dtype, act_dtype, accumulate;
  std::string rows = "1,4,16,64,256";
  std::optional<bool> bias;
  bool residual = false;
  std::optional<float> slope, alpha, limit, up_offset;
};

/// What they mean.
struct Spec {
  FfnSpec ffn;
  std::vector<Target> targets;  ///< lowest first
  std::vector<int64_t> rows;
};

void add_spec_options(CLI::App& command, SpecOptions& options);
void add_variant_parameters(CLI::App& command, SpecOptions& options);

/// Usage errors name the flag; no target for `host` is ErrorKind::unavailable.
Spec resolve(const SpecOptions& options);

/// The variant that --variant (or the preset) and the parameter flags give.
Variant resolve_variant(const SpecOptions& options);

/// "swiglu 4096x11008 bf16 with biases"
std::string describe(const FfnSpec& ffn);

/// What a block stores and takes: types, sizes, biases and residual, as every command names them.
Json block_json(const FfnSpec& ffn);

/// A usage error for targets of devices other than `known`: `command` has no way to use them.
void refuse_devices(const std::vector<Target>& targets, const char* command,
                    Device known = Device::cpu);

}  // namespace gatefold::cli
