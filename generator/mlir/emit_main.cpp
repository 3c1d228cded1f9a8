#include "generator/emit_command.h"
#include "generator/mlir/launch_source.h"
#include "generator/mlir/tensor_core.h"
#include "generator/text_file.h"
#include "spec/error.h"

namespace gatefold {
namespace {

/// The flags that gatefold-emit does not have.
struct Extra {
  std::string point, source;
};

void emit(const KernelSpec& spec, const std::string& symbol, const std::filesystem::path& ptx_file,
          const std::filesystem::path& assembly, const Extra& extra) {
  const int capability = compute_capability(info(spec.target).name);
  if (const auto reason = why_no_tensor_cores(spec)) fail_usage("tensor cores: " + *reason);
  const TensorCorePoint point =
      extra.point.empty() ? default_tensor_core_point(spec) : parse_tensor_core_point(extra.point);
  const TensorCoreKernel kernel = tensor_core_kernel(spec, point, capability, symbol);
  const std::string ptx = tensor_core_ptx(kernel);
  write_text(ptx_file, ptx);
  if (!assembly.empty()) write_text(assembly, ptx);
  if (!extra.source.empty()) write_text(extra.source, launch_source(kernel, ptx, symbol));
}

}  // namespace
}  // namespace gatefold

/// Makes the tensor-core kernels of one block. A process of its own, since LLVM may abort.
int main(int argc, char** argv) {
  gatefold::Extra extra;
  return gatefold::emit_command(
      argc, argv,
      [&](const auto& kernel, const auto& symbol, const auto& ptx, const auto& assembly) {
        gatefold::emit(kernel, symbol, ptx, assembly, extra);
      },
      {{"--tensor-core", &extra.point, "bm=… bn=… … (default: by --tuned-rows)"},
       {"--source", &extra.source, "C source of the call to write, with the PTX in it"}});
}
