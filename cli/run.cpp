#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <limits>
#include <memory>

#include "accuracy/ffn_data.h"
#include "accuracy/loaded_library.h"
#include "bench/file_weights.h"
#include "cli/commands.h"
#include "cli/emulated.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/run_options.h"
#include "formats/npy.h"
#include "spec/error.h"
#include "tuning/race.h"

namespace gatefold::cli {
namespace {

struct Options {
  std::string library, weights, input, residual, output, isa;
  FfnTensorNames names;
  std::optional<std::string> order;
  int threads = 0;
  int repeat = 3;
  bool json = false;
  bool emulated = false;
};

/// Times of gf_ffn_run (or gf_ffn_run_residual) alone.
struct Times {
  double first_ms = 0;
  double min_ms = std::numeric_limits<double>::infinity();
  double median_ms = 0;
};

/// What every call is given.
struct Call {
  gf_rows x, y;
  std::optional<gf_rows> residual;

  gf_status run(gf_ffn* ffn) const {
    return residual ? gf_ffn_run_residual(ffn, &x, &*residual, &y) : gf_ffn_run(ffn, &x, &y);
  }
};

double run_once_ms(gf_ffn* ffn, const Call& call) {
  const auto begin = std::chrono::steady_clock::now();
  require_ok(call.run(ffn), "gf_ffn_run");
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
  return time.count();
}

Times run_repeatedly(gf_ffn* ffn, const Call& call, int repeat) {
  Times times;
  times.first_ms = run_once_ms(ffn, call);
  std::vector<double> samples;
  for (int i = 0; i < repeat; ++i) {
    throw_if_interrupted();
    samples.push_back(run_once_ms(ffn, call));
    times.min_ms = std::min(times.min_ms, samples.back());
  }
  times.median_ms = median(samples);
  return times;
}

NpyArray read_input(const Options& o, int64_t d_model) {
  NpyArray x = read_npy_f32(o.input, 2);
  if (x.shape[1] != d_model) {
    fail(fmt::format("{}: shape [{}, {}], wanted [rows, {}] (d_model)", o.input, x.shape[0],
                     x.shape[1], d_model));
  }
  return x;
}

/// --residual, which is for libraries that add one, and then must be there; else empty.
void check_residual_flag(const Options& o, const FfnSpec& ffn) {
  if (ffn.residual == !o.residual.empty()) return;
  fail_usage(ffn.residual ? "--residual: missing, the library adds one to its result"
                          : "--residual: '" + o.residual +
                                "', but the library was generated without --residual");
}

std::vector<float> read_residual(const Options& o, int64_t rows, int64_t d_model) {
  if (o.residual.empty()) return {};
  NpyArray r = read_npy_f32(o.residual, 2);
  if (r.shape[0] != rows || r.shape[1] != d_model) {
    fail(fmt::format("{}: shape [{}, {}], wanted [{}, {}] as the input has", o.residual, r.shape[0],
                     r.shape[1], rows, d_model));
  }
  return std::move(r.values);
}

const char* or_empty(const char* text) { return text ? text : ""; }

Json json_of(const gf_report& r, const Times& times, const FfnSpec& ffn, int64_t rows) {
  return {{"rows", rows},
          {"kernel", or_empty(r.kernel)},
          {"isa", or_empty(r.isa)},
          {"match", or_empty(r.match)},
          {"origin", or_empty(r.origin)},
          {"point", or_empty(r.point)},
          {"threads", r.threads},
          {"variant", ffn.variant.name},
          {"formula", ffn.variant.formula()},
          {"dtype", info(ffn.dtype).name},
          {"act_dtype", info(ffn.act()).name},
          {"residual", ffn.residual},
          {"min_ms", times.min_ms},
          {"median_ms", times.median_ms},
          {"first_call_ms", times.first_ms},
          {"runner_up", r.runner_up ? Json(r.runner_up) : Json()},
          {"margin_pct", number_or_null(r.margin_pct)},
          {"efficiency", number_or_null(r.efficiency)},
          {"packed_weight_bytes", r.packed_weight_bytes},
          {"workspace_bytes", r.workspace_bytes}};
}

void print_report(const gf_report& r, const Times& times, const FfnSpec& ffn, int64_t rows) {
  print_line(fmt::format("{} rows through {} ({}, match {})", rows, or_empty(r.kernel),
                         or_empty(r.isa), or_empty(r.match)));
  print_line(fmt::format("computes {}{}", ffn.variant.formula(),
                         ffn.residual ? ", and adds the residual" : ""));
  print_line(fmt::format("schedule {} ({})", or_empty(r.point), or_empty(r.origin)));
  print_line(fmt::format("median {} ms, min {} ms, first call {} ms, {} threads, weights warm",
                         ms_text(times.median_ms), ms_text(times.min_ms), ms_text(times.first_ms),
                         r.threads));
}

int run(Options o) {
  if (o.order) o.names.order = gate_order_named(*o.order);
  check_isa_name(o.isa);
  if (o.emulated) accept_emulated_targets();
  const LoadedLibrary library(o.library);
  const FfnSpec& ffn = library.ffn();
  check_tensor_names(o.names, ffn);
  check_residual_flag(o, ffn);
  const Safetensors file = Safetensors::open(o.weights);
  const FfnTensors tensors = find_ffn_tensors(file, o.weights, o.names, ffn);
  const NpyArray input = read_input(o, tensors.d_model);
  const int64_t rows = input.shape[0];
  const std::vector<float> added = read_residual(o, rows, tensors.d_model);
  const Block block =
      library.create({tensors.d_model, tensors.d_ff}, file_weights(tensors, o.names),
                     threads_in_use(o.threads), o.isa);
  std::vector<uint8_t> x = stored_as(ffn.act(), input.values), y(x.size());
  std::vector<uint8_t> residual = stored_as(ffn.act(), added);
  const auto as_rows = [&](std::vector<uint8_t>& stored) {
    return dense_rows(stored.data(), ffn.act(), rows, tensors.d_model);
  };
  Call call{as_rows(x), as_rows(y), {}};
  if (ffn.residual) call.residual = as_rows(residual);
  const Times times = run_repeatedly(block.get(), call, o.repeat);
  write_npy_f32(o.output, rows, tensors.d_model,
                loaded_from(ffn.act(), y.data(), input.values.size()));
  const gf_report report = report_of(block.get());
  if (o.json) {
    print_json(json_of(report, times, ffn, rows));
  } else {
    print_report(report, times, ffn, rows);
  }
  return 0;
}

void add_tensor_options(CLI::App& command, Options& o) {
  FfnTensorNames& n = o.names;
  command.add_option("--gate", n.gate, "tensor [d_ff, d_model]");
  command.add_option("--up", n.up, "tensor [d_ff, d_model]");
  command.add_option("--gate-up", n.gate_up, "fused tensor [2 * d_ff, d_model]; needs --order");
  command.add_option("--order", o.order, "gate_first, up_first or interleaved; no default");
  command.add_option("--down", n.down, "tensor [d_model, d_ff]");
  command.add_option("--gate-bias", n.gate_bias, "tensor [d_ff]; without it zero");
  command.add_option("--up-bias", n.up_bias, "tensor [d_ff]; without it zero");
  command.add_option("--gate-up-bias", n.gate_up_bias, "fused tensor [2 * d_ff]; needs --order");
  command.add_option("--down-bias", n.down_bias, "tensor [d_model]; without it zero");
  command.add_flag("--transposed", n.transposed, "the matrices are stored [in, out]");
}

}  // namespace

void add_run_command(CLI::App& app, Action& action) {
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("run", "Runs real weights through a generated library");
  command->add_option("--library", o->library, "manifest NAME.json")->required();
  command->add_option("--weights", o->weights, "safetensors file (F32, BF16 or F16)")->required();
  add_tensor_options(*command, *o);
  command->add_option("--input", o->input, ".npy of f32 [rows, d_model]")->required();
  command->add_option("--residual", o->residual,
                      ".npy of f32 [rows, d_model]; if the library adds one, and only then");
  command->add_option("--output", o->output, ".npy of f32, replaced whole")->required();
  command->add_option("--threads", o->threads, kThreadsHelp)->check(CLI::Range(1, 1024));
  command->add_option("--isa", o->isa, kIsaHelp);
  command->add_option("--repeat", o->repeat, "timed calls after the first")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->add_flag("--emulated", o->emulated, kEmulatedHelp);
  command->add_flag("--json", o->json, "one JSON object on stdout");
  command->footer(
      "Example:\n"
      "  gatefold run --library lib/k.json --weights model.safetensors --gate mlp.gate_proj.weight "
      "\\\n"
      "    --up mlp.up_proj.weight --down mlp.down_proj.weight --input x.npy --output y.npy");
  command->callback([o, &action] { action = [o] { return run(*o); }; });
}

}  // namespace gatefold::cli
