#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/spec_options.h"
#include "spec/error.h"
#include "spec/plan.h"
#include "spec/presets.h"

namespace gatefold::cli {
namespace {

struct Options {
  std::optional<std::string> preset, d_model, d_ff;
  std::optional<std::string> variant;
  std::string dtype = "f32";
  std::string rows = "1";
  std::string multiple_of = "1";
  double dense_ratio = 4;
  bool json = false;
};

int64_t number(const std::string& text, const char* flag) {
  const int64_t value = parse_dimension(text, flag);
  if (value == Shape::kAny) {
    fail_usage(std::string(flag) + ": 'any', wanted a number from 1 to " +
               std::to_string(kMaxDimension));
  }
  return value;
}

PlanRequest request_of(const Options& o, const Preset* preset) {
  PlanRequest request;
  request.variant = variant_named(o.variant ? *o.variant : preset ? preset->variant : "swiglu");
  request.dtype = dtype_named(o.dtype);
  request.dense_ratio = o.dense_ratio;
  request.multiple_of = number(o.multiple_of, "--multiple-of");
  if (o.d_model) {
    request.d_model = number(*o.d_model, "--d-model");
  } else if (preset) {
    request.d_model = preset->d_model;
  } else {
    fail_usage("--d-model: missing, wanted it or --preset");
  }
  if (o.d_ff) request.d_ff = number(*o.d_ff, "--d-ff");
  // A preset's width belongs to its own d_model; for another one it is derived again.
  else if (preset && !o.d_model)
    request.d_ff = preset->d_ff;
  return request;
}

int64_t rows_of(const Options& o) {
  const std::vector<int64_t> rows = parse_rows(o.rows);
  if (rows.size() != 1) fail_usage("--rows: '" + o.rows + "', wanted one number");
  return rows.front();
}

Json json_of(const Plan& plan, const PlanRequest& request, const Preset* preset, int64_t rows) {
  Json out = {{"variant", request.variant.name},
              {"formula", request.variant.formula()},
              {"dtype", info(request.dtype).name},
              {"d_model", plan.d_model},
              {"d_ff", plan.d_ff},
              {"matrices", plan.matrices},
              {"parameters", plan.parameters},
              {"flops_per_row", plan.flops_per_row},
              {"weight_bytes", plan.weight_bytes},
              {"dense_d_ff", plan.dense_d_ff},
              {"dense_parameters", plan.dense_parameters},
              {"parameter_ratio", plan.parameter_ratio},
              {"matched", plan.matched},
              {"rows", rows},
              {"flops", plan.flops_per_row * rows}};
  if (preset) {
    out["preset"] = preset->name;
    out["layers"] = preset->layers;
    out["model_parameters"] = plan.parameters * preset->layers;
  }
  return out;
}

void print_plan(const Plan& plan, const PlanRequest& request, const Preset* preset, int64_t rows) {
  Table table({"", ">this block", ">dense baseline"});
  const auto text = [](int64_t value) { return std::to_string(value); };
  table.add({"d_model", text(plan.d_model), text(plan.d_model)});
  table.add({"d_ff", text(plan.d_ff), text(plan.dense_d_ff)});
  table.add({"matrices", text(plan.matrices), "2"});
  table.add({"parameters a layer", text(plan.parameters), text(plan.dense_parameters)});
  table.add({"flops a row", text(plan.flops_per_row), text(2 * plan.dense_parameters)});
  table.add({"weights in " + info(request.dtype).name, bytes_text(plan.weight_bytes),
             bytes_text(plan.dense_parameters * info(request.dtype).bytes)});
  if (rows > 1) {
    table.add({fmt::format("flops for {} rows", rows), text(plan.flops_per_row * rows),
               text(2 * plan.dense_parameters * rows)});
  }
  print_line(request.variant.name + ": " + request.variant.formula());
  table.print();
  if (preset) {
    print_line(fmt::format("{}: {} layers, {} parameters in all", preset->name, preset->layers,
                           plan.parameters * preset->layers));
  }
  print_line(fmt::format("parameter ratio {:.4f}: {}", plan.parameter_ratio,
                         plan.matched ? "matched within 2 %" : "not at equal budget"));
}

int run(const Options& options) {
  const Preset* preset = options.preset ? &preset_named(*options.preset) : nullptr;
  const PlanRequest request = request_of(options, preset);
  const int64_t rows = rows_of(options);
  const Plan plan = make_plan(request);
  if (options.json) {
    print_json(json_of(plan, request, preset, rows));
  } else {
    print_plan(plan, request, preset, rows);
  }
  return 0;
}

}  // namespace

void add_plan_command(CLI::App& app, Action& action) {
  auto o = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("plan", "Widths, the 2/3 rule, parameter and FLOP budgets");
  command->add_option("--preset", o->preset, "a model's block; see `list presets`");
  command->add_option("--d-model", o->d_model, "N");
  command->add_option("--variant", o->variant, "see `list variants` (default: swiglu)");
  command->add_option("--d-ff", o->d_ff, "N (default: the preset's, else from the dense ratio)");
  command->add_option("--dense-ratio", o->dense_ratio, "d_ff / d_model of the dense baseline")
      ->capture_default_str();
  command->add_option("--multiple-of", o->multiple_of, "rounds the width up")
      ->capture_default_str();
  command->add_option("--rows", o->rows, "rows of one call")->capture_default_str();
  command->add_option("--dtype", o->dtype, "storage type of the weights")->capture_default_str();
  command->add_flag("--json", o->json, "one JSON object on stdout");
  command->footer("Example:\n  gatefold plan --d-model 4096 --variant swiglu --multiple-of 256");
  command->callback([o, &action] { action = [o] { return run(*o); }; });
}

}  // namespace gatefold::cli
