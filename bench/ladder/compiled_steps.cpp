#include "bench/ladder/compiled_steps.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "bench/ladder/environment.h"
#include "generator/library.h"
#include "spec/error.h"
#include "tuning/host.h"

namespace gatefold {
namespace {

namespace fs = std::filesystem;

fs::path ladder_emitter() {
  const fs::path path = fs::path(program_directory()) / "gatefold-ladder-emit";
  if (access(path.c_str(), X_OK) != 0)
    fail(path.string() + ": not found; build it beside this program");
  return path;
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (text.empty()) fail(path.string() + ": the emitter left no loop nest there");
  return text;
}

CompiledStep compile(const LadderStep& step, const std::string& name, const fs::path& folder,
                     const fs::path& emitter) {
  const fs::path nest = folder / (name + ".nest");
  setenv(kScheduleVariable, step.schedule.c_str(), 1);
  setenv(kNestVariable, nest.c_str(), 1);
  LibraryPlan plan;
  plan.name = name;
  plan.ffn = step.kernel.ffn;
  plan.kernels.push_back({step.kernel, {}});
  LibraryOptions options;
  options.emitter = emitter;
  options.directory = folder;
  options.shared_only = true;
  return {build_library(plan, options), text_of(nest)};
}

}  // namespace

std::vector<CompiledStep> compile_steps(const std::vector<LadderStep>& steps, int threads,
                                        const fs::path& folder,
                                        const std::function<void(const std::string&)>& progress) {
  const fs::path emitter = ladder_emitter();
  setenv(kThreadsVariable, std::to_string(threads).c_str(), 1);
  std::vector<CompiledStep> compiled;
  for (const LadderStep& step : steps) {
    progress("compiling " + step.name);
    const std::string name = "step_" + std::to_string(compiled.size() + 1);
    compiled.push_back(compile(step, name, folder, emitter));
  }
  return compiled;
}

}  // namespace gatefold
