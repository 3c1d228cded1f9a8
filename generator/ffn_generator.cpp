// The same algorithm and schedules as a registered Halide Generator named "gatefold_ffn", for users
// who emit kernels from their own CMake: link gatefold_generator and Halide's GenGen main, then
//   gen -g gatefold_ffn -f my_ffn -o . -e object,c_header target=… variant=swiglu dtype=f32
//       d_model=4096 d_ff=11008 bias=false residual=false rows=16
// isa picks the schedules (default: the highest that the Halide target string holds); packing and
// point default to the analytic ones.
#include <Halide.h>

#include <map>

#include "generator/ffn_algorithm.h"
#include "generator/prefetch_lines.h"
#include "schedules/space.h"
#include "spec/error.h"

namespace gatefold {
namespace {

using namespace Halide;
using Internal::AbstractGenerator;

Arch arch_of(const Halide::Target& target) {
  if (target.bits == 64 && target.arch == Halide::Target::X86) return Arch::x86_64;
  if (target.bits == 64 && target.arch == Halide::Target::ARM) return Arch::arm64;
  fail_usage("gatefold_ffn: target '" + target.to_string() + "', wanted x86-64-… or arm-64-…");
}

/// The highest of our targets whose features are all in a Halide target.
Target isa_of(const Halide::Target& target) {
  const std::vector<TargetInfo> candidates = targets_of(arch_of(target));
  Target best = candidates.front().target;
  for (const TargetInfo& candidate : candidates) {
    const Halide::Target wanted(candidate.halide);
    bool all = true;
    for (int f = 0; f < Halide::Target::FeatureEnd; ++f) {
      const auto feature = Halide::Target::Feature(f);
      if (wanted.has_feature(feature) && !target.has_feature(feature)) all = false;
    }
    if (all) best = candidate.target;
  }
  return best;
}

class FfnGenerator : public AbstractGenerator {
 public:
  explicit FfnGenerator(const GeneratorContext& context) : context_(context) {}

  std::string name() override { return "gatefold_ffn"; }
  GeneratorContext context() const override { return context_; }

  std::vector<ArgInfo> arginfos() override {
    using namespace Internal;
    std::vector<ArgInfo> infos;
    for (const Argument& a : kernel_arguments(stages())) {
      const auto kind = a.is_buffer() ? ArgInfoKind::Buffer : ArgInfoKind::Scalar;
      infos.push_back({a.name, ArgInfoDirection::Input, kind, {a.type}, int(a.dimensions)});
    }
    const Func& y = stages().y;
    infos.push_back({y.name(), ArgInfoDirection::Output, ArgInfoKind::Buffer, y.types(), 2});
    return infos;
  }

  void set_generatorparam_value(const std::string& key, const std::string& value) override {
    if (!parameters_.count(key)) {
      fail_usage("generator parameter '" + key +
                 "' is unknown, wanted variant, dtype, act_dtype, accumulate, "
                 "d_model, d_ff, bias, residual, isa, rows, packing or point");
    }
    parameters_[key] = value;
  }
  void set_generatorparam_value(const std::string& key, const LoopLevel&) override {
    fail_usage("generator parameter '" + key + "' is no loop level");
  }

  Pipeline build_pipeline() override {
    schedule(stages());
    Pipeline pipeline(stages().y);
    pipeline.add_custom_lowering_pass(new OnePrefetchPerLine);
    return pipeline;
  }

  std::vector<Parameter> input_parameter(const std::string& name) override {
    for (const ImageParam& p : kernel_inputs(stages())) {
      if (p.name() == name) return {p.parameter()};
    }
    if (name == stages().d_ff.name()) return {stages().d_ff.parameter()};
    fail_usage("generator input '" + name + "' does not exist");
  }
  std::vector<Func> output_func(const std::string&) override { return {stages().y}; }

  void bind_input(const std::string& name, const std::vector<Parameter>&) override { fixed(name); }
  void bind_input(const std::string& name, const std::vector<Func>&) override { fixed(name); }
  void bind_input(const std::string& name, const std::vector<Expr>&) override { fixed(name); }

  bool emit_cpp_stub(const std::string&) override { return false; }
  bool emit_hlpipe(const std::string&) override { return false; }
  bool allow_out_of_order_inputs_and_outputs() const override { return false; }

 private:
  [[noreturn]] static void fixed(const std::string& name) {
    fail_usage("generator input '" + name + "' cannot be rebound: weights are packed buffers");
  }

  FfnStages& stages() {
    if (!stages_.y.defined()) stages_ = ffn_algorithm(kernel());
    return stages_;
  }

  bool flag(const std::string& name) const {
    const std::string& value = parameters_.at(name);
    return value == "true" || value == "1";
  }

  KernelSpec kernel() const {
    KernelSpec k;
    k.ffn.variant = variant_named(parameters_.at("variant"));
    k.ffn.dtype = dtype_named(parameters_.at("dtype"));
    const std::string& act = parameters_.at("act_dtype");
    if (!act.empty()) set_act_dtype(k.ffn, dtype_named(act), "act_dtype");
    set_accumulate(k.ffn, dtype_named(parameters_.at("accumulate")), "accumulate");
    k.ffn.shape = {parse_dimension(parameters_.at("d_model"), "d_model"),
                   parse_dimension(parameters_.at("d_ff"), "d_ff")};
    k.ffn.bias = flag("bias");
    k.ffn.residual = flag("residual");
    const std::string& isa = parameters_.at("isa");
    k.target = isa.empty() ? isa_of(context_.target()) : target_named(isa).target;
    if (info(k.target).device != Device::cpu)
      fail_usage("gatefold_ffn: isa '" + isa + "' is of a device, wanted one of a CPU");
    k.rows.tuned_rows = parse_rows(parameters_.at("rows"), "rows").front();
    const std::string &packing = parameters_.at("packing"), &point = parameters_.at("point");
    k.packing = packing.empty() ? legal_packings(k.ffn, k.target).front() : parse_packing(packing);
    const SchedulePoint analytic = default_point(k, cpu_profile_named("generic"));
    k.point = point.empty() ? analytic : parse_point(point, analytic);
    if (const auto reason = why_illegal(k)) fail_usage("gatefold_ffn: " + *reason);
    if (k.point.pl != 1) fail_usage("gatefold_ffn: pl=2, wanted 1: Halide itself has no other");
    return k;
  }

  GeneratorContext context_;
  FfnStages stages_;
  std::map<std::string, std::string> parameters_ = {
      {"variant", "swiglu"}, {"dtype", "f32"},      {"d_model", "any"}, {"d_ff", "any"},
      {"bias", "false"},     {"residual", "false"}, {"isa", ""},        {"act_dtype", ""},
      {"rows", "16"},        {"packing", ""},       {"point", ""},      {"accumulate", "f32"}};
};

const Internal::RegisterGenerator registration(
    "gatefold_ffn", [](const GeneratorContext& context) -> Internal::AbstractGeneratorPtr {
      return std::make_unique<FfnGenerator>(context);
    });

}  // namespace
}  // namespace gatefold
