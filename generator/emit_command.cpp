#include "generator/emit_command.h"

#include <CLI/CLI.hpp>

#include <iostream>

#include "spec/error.h"

namespace gatefold {
namespace {

struct Flags {
  std::string variant, dtype = "f32", act_dtype, accumulate = "f32", d_model, d_ff, target,
                       rows_max, packing, point, name, object, assembly;
  float slope = 0, alpha = 0, limit = 0, up_offset = 0;
  int64_t rows_min = 1, tuned_rows = 0;
  bool bias = false, residual = false;
};

void declare(CLI::App& app, Flags& f) {
  app.add_option("--variant", f.variant)->required();
  app.add_option("--slope", f.slope);
  app.add_option("--alpha", f.alpha);
  app.add_option("--limit", f.limit);
  app.add_option("--up-offset", f.up_offset);
  app.add_option("--dtype", f.dtype, "of the weights");
  app.add_option("--act-dtype", f.act_dtype, "of x and y (default: as --dtype)");
  app.add_option("--accumulate", f.accumulate, "type of the sums (default: f32)");
  app.add_option("--d-model", f.d_model, "a number or 'any'")->required();
  app.add_option("--d-ff", f.d_ff, "a number or 'any'")->required();
  app.add_flag("--bias", f.bias);
  app.add_flag("--residual", f.residual);
  app.add_option("--target", f.target)->required();
  app.add_option("--rows-min", f.rows_min)->required();
  app.add_option("--rows-max", f.rows_max, "a number or 'open'")->required();
  app.add_option("--tuned-rows", f.tuned_rows, "the row count that names the bucket")->required();
  app.add_option("--packing", f.packing, "panel=… pair=… k_step=… group=…")->required();
  app.add_option("--point", f.point, "fusion=… mr=… …")->required();
  app.add_option("--name", f.name, "symbol of the kernel")->required();
  app.add_option("-o", f.object, "object file to write")->required();
  app.add_option("--assembly", f.assembly, "assembly file to write too");
}

KernelSpec kernel_of(const CLI::App& app, const Flags& f) {
  const auto given = [&](const char* flag, const float& value) {
    return app.count(flag) ? &value : nullptr;
  };
  KernelSpec k;
  k.ffn.variant = with_parameters(variant_named(f.variant),
                                  {given("--slope", f.slope), given("--alpha", f.alpha),
                                   given("--limit", f.limit), given("--up-offset", f.up_offset)});
  k.ffn.dtype = dtype_named(f.dtype);
  if (!f.act_dtype.empty()) set_act_dtype(k.ffn, dtype_named(f.act_dtype));
  set_accumulate(k.ffn, dtype_named(f.accumulate));
  k.ffn.shape = {parse_dimension(f.d_model, "--d-model"), parse_dimension(f.d_ff, "--d-ff")};
  k.ffn.bias = f.bias;
  k.ffn.residual = f.residual;
  k.target = target_named(f.target).target;
  k.rows.rows_min = f.rows_min;
  k.rows.rows_max =
      f.rows_max == "open" ? RowBucket::kOpen : parse_dimension(f.rows_max, "--rows-max");
  k.rows.tuned_rows = f.tuned_rows;
  k.packing = parse_packing(f.packing);
  k.point = parse_point(f.point);
  return k;
}

}  // namespace

int emit_command(int argc, char** argv, const Emit& emit, const std::vector<ExtraFlag>& extra) {
  CLI::App app{"compiles one kernel to an object file"};
  Flags flags;
  declare(app, flags);
  for (const ExtraFlag& flag : extra) app.add_option(flag.name, *flag.value, flag.help);
  const auto complain = [&](const std::exception& e) {
    std::cerr << std::filesystem::path(argv[0]).filename().string() << ": error: " << e.what()
              << "\n";
  };
  try {
    app.parse(argc, argv);
    emit(kernel_of(app, flags), flags.name, flags.object, flags.assembly);
    return 0;
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);
    complain(e);
    return 2;
  } catch (const Error& e) {
    complain(e);
    return e.exit_code();
  } catch (const std::exception& e) {
    complain(e);
    return 1;
  }
}

}  // namespace gatefold
