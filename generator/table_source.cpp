#include "generator/table_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "generator/device_services.h"
#include "spec/byte_hash.h"
#include "spec/names.h"

namespace gatefold {
namespace {

/// Everything but plain characters as three octal digits, which end where the next one begins; `?`
/// too, since C11 still reads trigraphs.
std::string c_string(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const bool plain = c >= ' ' && c <= '~' && c != '"' && c != '\\' && c != '?';
    out += plain ? std::string(1, c) : fmt::format("\\{:03o}", static_cast<unsigned char>(c));
  }
  return out + "\"";
}

/// The constants of <math.h>, or `text` of a finite value.
std::string c_number(double value, const std::string& text) {
  if (std::isnan(value)) return "NAN";
  if (std::isinf(value)) return value < 0 ? "-INFINITY" : "INFINITY";
  return text;
}

std::string c_float(float value) {
  const std::string text = shortest(value);
  return c_number(value, text + (text.find_first_of(".e") == text.npos ? ".0f" : "f"));
}

std::string c_double(const std::optional<double>& value) {
  return value ? c_number(*value, fmt::format("{:.17g}", *value)) : "NAN";
}

/// One weight argument: matrix, first panel, step.
std::string stream(const char* matrix, int first, int step) {
  return fmt::format("{{GF_MATRIX_{}, {}, {}, 0}}", matrix, first, step);
}

/// In the order of generator/ffn_algorithm: gate and up share the streams unless unfused. Kernels
/// on tensor cores take whole matrices.
std::vector<std::string> streams(const LibraryKernel& kernel) {
  const KernelSpec& k = kernel.spec;
  const bool unfused = k.point.fusion == Fusion::unfused;
  const bool gated = k.ffn.variant.gated;
  const int total = kernel.tensor_cores ? 1 : k.point.streams;
  const int each = gated && !unfused && !kernel.tensor_cores ? total / 2 : total;
  std::vector<std::string> out;
  for (const char* matrix : {"GATE", "UP", "DOWN"}) {
    if (!gated && matrix[0] == 'G') continue;
    const int count = matrix[0] == 'D' ? total : each;
    for (int i = 0; i < count; ++i) out.push_back(stream(matrix, i, count));
  }
  return out;
}

/// What the kernels call. Their own copies, hidden in the library, so that neither another library
/// nor an application's Halide runtime is ever mixed up with them. The context is never NULL: the
/// kernels are compiled to take it and to hand it on (schedules/target.cpp).
constexpr const char* kServices = R"(
static const gf_hooks *hooks_of(void *context) { return ((const gf_context *)context)->hooks; }

int halide_do_par_for(void *context, int (*task)(void *, int, uint8_t *), int min, int size,
                      uint8_t *closure) {
  return hooks_of(context)->par_for(context, task, min, size, closure);
}
void *halide_malloc(void *context, size_t bytes) {
  return hooks_of(context)->allocate(context, bytes);
}
void halide_free(void *context, void *memory) { hooks_of(context)->release(context, memory); }
void halide_error(void *context, const char *message) {
  hooks_of(context)->error(context, message);
}
int halide_error_out_of_memory(void *context) {
  hooks_of(context)->error(context, "out of memory");
  return -11; /* halide_error_code_out_of_memory */
}
int halide_error_buffer_allocation_too_large(void *context, const char *name, uint64_t size,
                                             uint64_t most) {
  (void)name, (void)size, (void)most;
  hooks_of(context)->error(context, "more rows than 32-bit sizes hold");
  return -5; /* halide_error_code_buffer_allocation_too_large */
}
)";

/// A weight argument's element: halide_type_t code (1 unsigned, 2 float, 3 bfloat) and bits, and
/// how many of them are innermost.
struct Word {
  int code, bits, k;
};

Word word_of(const KernelSpec& kernel) {
  const bool device = info(kernel.target).device != Device::cpu;
  if (device) return {kernel.ffn.dtype == DType::f32 ? 2 : 1, 32, 4};
  switch (kernel.ffn.dtype) {
    case DType::f32:
      return {2, 32, 1};
    case DType::bf16:
      return uses_bf16_dot(kernel.ffn, kernel.target) ? Word{3, 16, kernel.packing.pair}
                                                      : Word{1, 16 * kernel.packing.pair, 1};
    case DType::f16:
      return {2, 16, 1};
  }
  return {};
}

/// Empty for a library without Halide's kernels for CUDA; those on tensor cores call the hooks.
std::string services_of_devices(const LibraryPlan& plan) {
  const auto kernels =
      std::count_if(plan.kernels.begin(), plan.kernels.end(), [](const LibraryKernel& k) {
        return info(k.spec.target).device == Device::cuda && !k.tensor_cores;
      });
  if (kernels == 0) return "";
  return fmt::format("\n#define GATEFOLD_DEVICE_KERNELS {}\n", kernels) + device_services();
}

std::string kernel_entry(const LibraryPlan& plan, size_t i) {
  const KernelSpec& k = plan.kernels[i].spec;
  const KernelRecord& r = plan.kernels[i].record;
  const Packing& p = k.packing;
  const Word word = word_of(k);
  const std::string open =
      k.rows.rows_max == RowBucket::kOpen ? "INT64_MAX" : std::to_string(k.rows.rows_max);
  return fmt::format(
      "  {{{}, {}, {{{}, {}, {}, {}}}, {}, {}, {}, {}, {}, {}, streams_{}, {}, {}, {}, 0,\n"
      "   {}_argv, {}, {}, {}, {}}},\n",
      c_string(kernel_name(k)), c_string(info(k.target).name), p.panel, p.pair,
      p.k_step * p.k_lines, p.group, c_string(plan.kernels[i].point()), c_string(r.origin),
      k.rows.rows_min, open, r.tuned_threads, streams(plan.kernels[i]).size(), i, word.code,
      word.bits, word.k, kernel_symbol(plan, i), r.runner_up.empty() ? "0" : c_string(r.runner_up),
      c_double(r.margin_pct), c_double(r.efficiency), c_double(r.median_ms));
}

nlohmann::ordered_json manifest_kernel(const LibraryKernel& k) {
  nlohmann::ordered_json out;
  out["name"] = kernel_name(k.spec);
  out["rows_min"] = k.spec.rows.rows_min;
  if (k.spec.rows.rows_max == RowBucket::kOpen) {
    out["rows_max"] = nullptr;
  } else {
    out["rows_max"] = k.spec.rows.rows_max;
  }
  out["target"] = info(k.spec.target).name;
  out["packing"] = k.spec.packing.text();
  out["point"] = k.point();
  out["origin"] = k.record.origin;
  out["match"] = k.record.match;
  return out;
}

}  // namespace

std::string kernel_symbol(const LibraryPlan& plan, size_t i) {
  return fmt::format("{}_kernel_{}", plan.name, i);
}

std::string table_source(const LibraryPlan& plan) {
  std::string out =
      "/* Generated by gatefold. */\n#include <math.h>\n\n"
      "#include \"gatefold/kernel_table.h\"\n";
  out += kServices + services_of_devices(plan);
  for (size_t i = 0; i < plan.kernels.size(); ++i) {
    out += fmt::format("extern int {}_argv(void **args);\n", kernel_symbol(plan, i));
    out += fmt::format("static const gf_weight_stream streams_{}[] = {{", i);
    for (const std::string& s : streams(plan.kernels[i])) out += s + ", ";
    out += "};\n";
  }
  out += "static const gf_kernel kernels[] = {\n";
  for (size_t i = 0; i < plan.kernels.size(); ++i) out += kernel_entry(plan, i);
  const FfnSpec& f = plan.ffn;
  out += fmt::format(
      "}};\nstatic const gf_kernel_table table = {{GF_KERNEL_TABLE_MAGIC, "
      "GF_KERNEL_TABLE_VERSION,\n"
      "  sizeof(gf_kernel_table), sizeof(gf_kernel), {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, "
      "{}, {},\n"
      "  {}, kernels, {}, {}, {}}};\n",
      c_string(plan.name), c_string(f.variant.name), c_string(info(f.dtype).name),
      c_float(f.variant.slope), c_float(f.variant.alpha), c_float(f.variant.limit),
      c_float(f.variant.up_offset), int(f.variant.gated), int(f.bias), f.shape.d_model,
      f.shape.d_ff, kGeneratorVersion, plan.kernels.size(), c_string(kHalideVersion),
      c_string(info(f.act()).name), int(f.residual), c_string(info(f.accumulate).name));
  out += fmt::format(
      "__attribute__((visibility(\"default\"))) const gf_kernel_table *{}_kernels(void) {{\n"
      "  return &table;\n}}\n"
      "/* The same under the one name that gf_library_open looks up. */\n"
      "__attribute__((visibility(\"default\"))) const gf_kernel_table *gatefold_kernels(void) {{\n"
      "  return &table;\n}}\n",
      plan.name);
  return out;
}

std::string library_header(const LibraryPlan& plan) {
  return fmt::format(
      "/* Generated by gatefold: {} {} {}{}\n * {} */\n#pragma once\n\n"
      "#include \"gatefold/kernel_table.h\"\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n"
      "const gf_kernel_table *{}_kernels(void);\n\n#ifdef __cplusplus\n}}\n#endif\n",
      plan.ffn.variant.name, plan.ffn.dtypes(), plan.ffn.shape.text(), additions(plan.ffn),
      plan.ffn.variant.formula(), plan.name);
}

std::string library_cmake_config(const LibraryPlan& plan) {
  return fmt::format(
      R"(# Generated by gatefold: gatefold::{0} (static) and gatefold::{0}_shared (to be opened or linked), for {1}.
if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "{1}")
  set({0}_FOUND FALSE)
  set({0}_NOT_FOUND_MESSAGE
      "Its kernels are for {1}; CMAKE_SYSTEM_PROCESSOR is '${{CMAKE_SYSTEM_PROCESSOR}}', wanted {1}.")
  return()
endif()
include(CMakeFindDependencyMacro)
find_dependency(gatefold)
if(NOT TARGET gatefold::{0})
  add_library(gatefold::{0} STATIC IMPORTED)
  set_target_properties(gatefold::{0} PROPERTIES
    IMPORTED_LOCATION "${{CMAKE_CURRENT_LIST_DIR}}/lib{0}.a"
    INTERFACE_INCLUDE_DIRECTORIES "${{CMAKE_CURRENT_LIST_DIR}}"
    INTERFACE_LINK_LIBRARIES gatefold::gatefold)
  add_library(gatefold::{0}_shared SHARED IMPORTED)
  set_target_properties(gatefold::{0}_shared PROPERTIES
    IMPORTED_LOCATION "${{CMAKE_CURRENT_LIST_DIR}}/lib{0}.so"
    INTERFACE_INCLUDE_DIRECTORIES "${{CMAKE_CURRENT_LIST_DIR}}"
    INTERFACE_LINK_LIBRARIES gatefold::gatefold)
endif()
)",
      plan.name, info(arch_of(plan)).processor);
}

std::string library_manifest(const LibraryPlan& plan, std::string_view shared_object) {
  const FfnSpec& f = plan.ffn;
  nlohmann::ordered_json out;
  out["format"] = "gatefold-library";
  out["version"] = 1;
  out["library"] = plan.name;
  out["so"] = "lib" + plan.name + ".so";
  out["so_bytes"] = shared_object.size();
  out["so_hash"] = hash_of(shared_object);
  out["architecture"] = info(arch_of(plan)).name;
  out["variant"] = f.variant.name;
  out["formula"] = f.variant.formula();
  out["dtype"] = info(f.dtype).name;
  out["act_dtype"] = info(f.act()).name;
  out["accumulate"] = info(f.accumulate).name;
  out["d_model"] = f.shape.d_model;
  out["d_ff"] = f.shape.d_ff;
  out["bias"] = f.bias;
  out["residual"] = f.residual;
  out["parameters"] = {{"slope", f.variant.slope},
                       {"alpha", f.variant.alpha},
                       {"limit", f.variant.limit},
                       {"up_offset", f.variant.up_offset}};
  out["generator_version"] = kGeneratorVersion;
  out["halide_version"] = kHalideVersion;
  out["kernels"] = nlohmann::ordered_json::array();
  for (const LibraryKernel& k : plan.kernels) out["kernels"].push_back(manifest_kernel(k));
  return out.dump(2) + "\n";
}

}  // namespace gatefold
