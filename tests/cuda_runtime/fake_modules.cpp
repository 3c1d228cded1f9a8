// Modules, functions and launches of the fake libcuda.
#include <cstring>

#include "tests/cuda_runtime/fake_calls.h"

using namespace gatefold::test;

EXPORT int cuModuleLoadDataEx(Handle* module, const void* image, unsigned count, int* options,
                              void** values) {
  return in_context("cuModuleLoadDataEx", [&](Handle context) -> int {
    char* log = nullptr;
    for (unsigned i = 0; i < count; ++i) {
      if (options[i] == 0) fake().complain("a module is loaded with a register limit");
      if (options[i] == 5) log = static_cast<char*>(values[i]);
    }
    const std::string text = static_cast<const char*>(image);
    const PtxText ptx = read_ptx(text);
    if (ptx.version == 0 || ptx.entries.empty()) return kInvalidPtx;
    if (1000 * (ptx.version / 10 + 4) + 10 * (ptx.version % 10) > fake().settings_.driver_version) {
      if (log)
        std::strcpy(log, "ptxas application ptx input, line 1; fatal   : Unsupported .version");
      return kUnsupportedPtx;
    }
    if (ptx.capability > fake().settings_.capability) return 209;
    *module = fake().new_handle();
    fake().modules[*module] = {context, text, ptx.entries};
    return kOk;
  });
}
EXPORT int cuModuleUnload(Handle module) {
  return destroy("cuModuleUnload", fake().modules, module);
}
EXPORT int cuModuleGetFunction(Handle* function, Handle module, const char* name) {
  return in_context("cuModuleGetFunction", [&](Handle context) -> int {
    const auto found = fake().modules.find(module);
    if (found == fake().modules.end() || found->second.context != context)
      return fake().wrong(kInvalidHandle, "a function is looked for in no module of the context");
    for (const PtxEntry& entry : found->second.entries) {
      if (entry.name != name) continue;
      *function = fake().new_handle();
      fake().functions[*function] = {module, entry,
                                     49152 - read_ptx(found->second.text).shared_bytes};
      return kOk;
    }
    return kNotFound;
  });
}
EXPORT int cuFuncGetAttribute(int* value, int attribute, Handle function) {
  return in_context("cuFuncGetAttribute", [&](Handle) -> int {
    const auto found = fake().functions.find(function);
    if (found == fake().functions.end() || attribute != 1)
      return fake().wrong(kInvalidHandle, "cuFuncGetAttribute: unknown function or attribute");
    *value = read_ptx(fake().modules.at(found->second.module).text).shared_bytes;
    return kOk;
  });
}
#ifndef FAKE_CUDA_LACKS_A_FUNCTION
EXPORT int cuFuncSetAttribute(Handle function, int attribute, int value) {
  return in_context("cuFuncSetAttribute", [&](Handle) -> int {
    const auto found = fake().functions.find(function);
    if (found == fake().functions.end() || attribute != 8)
      return fake().wrong(kInvalidHandle, "cuFuncSetAttribute: unknown function or attribute");
    found->second.dynamic_shared = value;
    return kOk;
  });
}
#endif

EXPORT int cuLaunchKernel(Handle function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                          unsigned by, unsigned bz, unsigned shared, Handle stream, void** params,
                          void**) {
  return on_stream("cuLaunchKernel", stream, [&](Handle queue) -> int {
    const auto found = fake().functions.find(function);
    if (found == fake().functions.end() || fake().modules.count(found->second.module) == 0)
      return fake().wrong(kInvalidHandle, "an unknown function is launched");
    const FakeModule& module = fake().modules.at(found->second.module);
    if (module.context != fake().current())
      return fake().wrong(kInvalidHandle, "a function of another context is launched");
    if (gx == 0 || gy == 0 || gz == 0 || gy > 65535 || gz > 65535 || bx * by * bz > 1024)
      return fake().wrong(kInvalidValue, "a launch beyond the device's limits");
    if (static_cast<int>(shared) > found->second.dynamic_shared)
      return fake().wrong(kInvalidValue, "more dynamic shared memory than was asked for");
    FakeLaunch launch{
        found->second.entry.name, &module.text, {gx, gy, gz}, {bx, by, bz}, shared, {}};
    for (size_t i = 0; i < found->second.entry.params.size(); ++i) {
      const auto* bytes = static_cast<const std::byte*>(params[i]);
      launch.params.emplace_back(bytes, bytes + found->second.entry.params[i]);
    }
    fake().put_work(queue, [launch] { fake().run_kernel(launch); });
    return kOk;
  });
}
