#include "generator/emitter_arguments.h"

#include "spec/names.h"

namespace gatefold {
namespace {

std::string size_text(int64_t size) { return size == Shape::kAny ? "any" : std::to_string(size); }

std::string bucket_end(const RowBucket& rows) {
  return rows.rows_max == RowBucket::kOpen ? "open" : std::to_string(rows.rows_max);
}

/// Only what is not usual: the flags of a variant that has no such parameter are errors.
void add_parameters(const Variant& v, std::vector<std::string>& arguments) {
  const Variant& usual = variant_named(v.name);
  const auto add = [&](const char* flag, float value, float usual_value) {
    if (value != usual_value) arguments.push_back(std::string(flag) + "=" + shortest(value));
  };
  add("--slope", v.slope, usual.slope);
  add("--alpha", v.alpha, usual.alpha);
  add("--limit", v.limit, usual.limit);
  add("--up-offset", v.up_offset, usual.up_offset);
}

}  // namespace

std::vector<std::string> emitter_arguments(const KernelSpec& k, const std::string& symbol) {
  std::vector<std::string> arguments;
  for (const auto& [flag, value] : std::vector<std::pair<const char*, std::string>>{
           {"--variant", k.ffn.variant.name},
           {"--dtype", info(k.ffn.dtype).name},
           {"--act-dtype", info(k.ffn.act()).name},
           {"--accumulate", info(k.ffn.accumulate).name},
           {"--d-model", size_text(k.ffn.shape.d_model)},
           {"--d-ff", size_text(k.ffn.shape.d_ff)},
           {"--target", info(k.target).name},
           {"--rows-min", std::to_string(k.rows.rows_min)},
           {"--rows-max", bucket_end(k.rows)},
           {"--tuned-rows", std::to_string(k.rows.tuned_rows)},
           {"--packing", k.packing.text()},
           {"--point", k.point.text()},
           {"--name", symbol}}) {
    arguments.insert(arguments.end(), {flag, value});
  }
  add_parameters(k.ffn.variant, arguments);
  if (k.ffn.bias) arguments.push_back("--bias");
  if (k.ffn.residual) arguments.push_back("--residual");
  return arguments;
}

}  // namespace gatefold
