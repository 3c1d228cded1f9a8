#include "tuning/code_check.h"

#include <memory>

namespace gatefold {

CodeCheck check_by_compiling(const BuilderOptions& options) {
  const auto builder = std::make_shared<Builder>(options);
  return [builder, stop = options.stop](const std::vector<KernelSpec>& kernels) {
    std::vector<std::optional<std::string>> reasons(kernels.size());
    const std::vector<BuiltCandidate> built = builder->build(kernels);
    // What was not finished is not refused: whoever asked to stop ends the rest as well.
    if (stop && *stop) return reasons;
    for (size_t i = 0; i < kernels.size(); ++i) {
      if (built[i].kind != TrialKind::ok) reasons[i] = built[i].message;
    }
    return reasons;
  };
}

}  // namespace gatefold
