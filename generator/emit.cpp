#include "generator/emit.h"

#include <Halide.h>

#include <map>

#include "generator/ffn_algorithm.h"
#include "schedules/space.h"
#include "spec/error.h"

namespace gatefold {
namespace {

/// Takes out the checks of arguments: the runtime has made them. What Halide adds after this pass
/// stays, unlike with Target::NoAsserts: a null from malloc or a failed parallel loop ends the
/// kernel with that error, where it would otherwise write through the null pointer.
class NoArgumentChecks : public Halide::Internal::IRMutator {
  using IRMutator::visit;
  Halide::Internal::Stmt visit(const Halide::Internal::AssertStmt*) override {
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
    const Halide::Module module =
        pipeline.compile_to_module(kernel_arguments(stages), symbol, halide_target(kernel.target));
    std::map<Halide::OutputFileType, std::string> outputs = {
        {Halide::OutputFileType::object, object.string()}};
    if (!assembly.empty()) outputs[Halide::OutputFileType::assembly] = assembly.string();
    module.compile(outputs);
  } catch (const Halide::Error& e) {
    fail("kernel " + symbol + ": " + e.what());
  }
}

}  // namespace gatefold
