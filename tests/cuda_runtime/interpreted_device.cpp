#include "tests/cuda_runtime/interpreted_device.h"

#include <cstring>
#include <map>

#include "tests/cuda_runtime/device_block.h"
#include "tests/ptx/interpreter.h"

namespace gatefold::test {
namespace {

/// Parsing takes longer than most launches.
const ptx::Module& parsed(const std::string& text) {
  static std::map<std::string, ptx::Module> modules;
  const auto found = modules.find(text);
  return found != modules.end() ? found->second
                                : modules.emplace(text, ptx::parse(text)).first->second;
}

void interpret(const FakeLaunch& l) {
  FakeCuda& cuda = fake_cuda();
  ptx::Memory memory;
  const auto allocations = cuda.allocations();
  for (const auto& [address, bytes] : allocations) {
    const auto* from = static_cast<const std::byte*>(cuda.at(address, bytes));
    memory.adopt(address, {from, bytes}, std::to_string(bytes) + " bytes of device memory");
  }
  ptx::Launch launch;
  launch.grid = l.grid;
  launch.block = l.block;
  launch.shared_bytes = l.shared_bytes;
  launch.parameters = l.params;
  ptx::run(parsed(*l.ptx), l.entry, launch, memory);
  for (const auto& [address, bytes] : allocations)
    std::memcpy(cuda.at(address, bytes), memory.read(address, bytes).data(), bytes);
}

}  // namespace

void interpret_launches() {
  fake_cuda().set_kernel("", [](const FakeLaunch& launch) {
    try {
      interpret(launch);
    } catch (const Error& e) {
      fake_cuda().complain(launch.entry + ": " + e.what());
    }
  });
}

}  // namespace gatefold::test
