#include "tuning/toolchain.h"

#include "generator/library.h"
#include "generator/link_tools.h"
#include "generator/process.h"
#include "tuning/ptxas.h"
#include "tuning/worker_client.h"

namespace gatefold {
namespace {

/// Finding some is what fails where they are missing.
template <typename Find>
std::string found(Find find) {
  try {
    return find();
  } catch (const Error&) {
    return "";
  }
}

void add_link_tools(Arch arch, std::vector<Tool>& tools) {
  const LinkTools names = link_tools(arch);
  const bool native = arch == host_arch();
  const std::string command =
      native ? "generate: " : "generate for " + std::string(info(arch).name) + ": ";
  const auto add = [&](const std::string& name, const char* purpose, const std::string& package) {
    tools.push_back({name, command + purpose, find_program(name), "apt-get install " + package});
  };
  add(names.compiler, "compiles the table, links libraries", names.compiler_package);
  add(names.ld, "joins a library's objects", names.binutils_package);
  add(names.objcopy, "hides a library's inner symbols", names.binutils_package);
  add(names.ar, "static libraries", names.binutils_package);
}

}  // namespace

std::vector<Tool> find_tools() {
  const std::string rebuild = "make build";
  std::vector<Tool> tools = {
      {"gatefold-emit", "generate, tune: compiles one kernel",
       found([] { return default_emitter().string(); }), rebuild},
      {"gatefold-emit-mlir", "generate for CUDA: kernels on tensor cores",
       default_tensor_core_emitter().string(), rebuild},
      {"gatefold-worker", "tune: measures candidates", find_program(default_worker()), rebuild},
  };
  for (const ArchInfo& arch : all_archs()) add_link_tools(arch.arch, tools);
  tools.push_back({"cmake", "applications: find_package(gatefold)", find_program("cmake"),
                   "apt-get install cmake"});
  tools.push_back({"ptxas", "tune --gpu: counts registers and spills",
                   found([] { return find_ptxas(); }), "a CUDA toolkit or pip's nvidia-cuda-nvcc"});
  return tools;
}

}  // namespace gatefold
