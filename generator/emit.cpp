#include "generator/emit.h"

#include <Halide.h>

#include <map>

#include "generator/device_code.h"
#include "generator/ffn_algorithm.h"
#include "generator/l2_prefetch.h"
#include "generator/prefetch_lines.h"
#include "generator/text_file.h"
#include "schedules/space.h"
#include "spec/error.h"

namespace gatefold {
namespace {

/// Takes out the checks of arguments: the runtime has made them. What Halide adds after this pass
/// stays, unlike with Target::NoAsserts: a null from malloc or a failed parallel loop ends the
/// kernel with that error, where it would otherwise write through the null pointer. So do the
/// results of calls, whose message is that result: a device's memory may be used up.
class NoArgumentChecks : public Halide::Internal::IRMutator {
  using IRMutator::visit;
  Halide::Internal::Stmt visit(const Halide::Internal::AssertStmt* op) override {
    if (op->message.as<Halide::Internal::Variable>()) return op;
    return Halide::Internal::Evaluate::make(0);
  }
};

}  // namespace

void emit_kernel(const KernelSpec& kernel, const std::string& symbol,
                 const std::filesystem::path& object, const std::filesystem::path& assembly) {
  emit_kernel(kernel, schedule, symbol, object, assembly);
}

void emit_kernel(const KernelSpec& kernel, const Scheduler& scheduler, const std::string& symbol,
                 const std::filesystem::path& object, const std::filesystem::path& assembly) {
  if (const auto reason = why_illegal(kernel)) fail_usage("--point: " + *reason);
  try {
    FfnStages stages = ffn_algorithm(kernel);
    scheduler(stages);
    Halide::Pipeline pipeline(stages.y);
    pipeline.add_custom_lowering_pass(new NoArgumentChecks);
    pipeline.add_custom_lowering_pass(new OnePrefetchPerLine);
    const Halide::Module module =
        pipeline.compile_to_module(kernel_arguments(stages), symbol, halide_target(kernel));
    if (kernel.point.pl == 2) return compile_with_l2_prefetch(module, object, assembly);
    std::map<Halide::OutputFileType, std::string> outputs = {
        {Halide::OutputFileType::object, object.string()}};
    const bool cuda = info(kernel.target).device == Device::cuda;
    if (cuda) complete_ptx(module);
    // What runs on a device is not in the assembly that Halide writes.
    if (cuda && !assembly.empty()) write_text(assembly, ptx_of(module));
    if (!cuda && !assembly.empty()) outputs[Halide::OutputFileType::assembly] = assembly.string();
    module.compile(outputs);
  } catch (const Halide::Error& e) {
    fail("kernel " + symbol + ": " + e.what());
  }
}

}  // namespace gatefold
