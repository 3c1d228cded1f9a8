#include "generator/emit.h"

#include <Halide.h>

#include <map>

#include "generator/ffn_algorithm.h"
#include "schedules/space.h"
#include "spec/error.h"

namespace gatefold {

void emit_kernel(const KernelSpec& kernel, const std::string& symbol,
                 const std::filesystem::path& object, const std::filesystem::path& assembly) {
  if (const auto reason = why_illegal(kernel)) fail_usage("--point: " + *reason);
  try {
    FfnStages stages = ffn_algorithm(kernel);
    schedule(stages);
    const Halide::Module module = Halide::Pipeline(stages.y).compile_to_module(
        kernel_arguments(stages), symbol, halide_target(kernel.target));
    std::map<Halide::OutputFileType, std::string> outputs = {
        {Halide::OutputFileType::object, object.string()}};
    if (!assembly.empty()) outputs[Halide::OutputFileType::assembly] = assembly.string();
    module.compile(outputs);
  } catch (const Halide::Error& e) {
    fail("kernel " + symbol + ": " + e.what());
  }
}

}  // namespace gatefold
