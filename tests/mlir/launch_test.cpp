#include "generator/mlir/launch_source.h"

#include <HalideRuntime.h>
#include <dlfcn.h>
#include <gatefold/kernel_table.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "spec/error.h"
#include "tests/mlir/blocks.h"
#include "tests/mlir/interpreted_block.h"
#include "tests/support/command.h"
#include "tests/support/paths.h"
#include "tests/support/temporary_folder.h"

namespace gatefold::test {
namespace {

constexpr int kFailed = -77;

/// Device hooks that run launches in the interpreter, on the memory of a block.
class FakeDevice {
 public:
  explicit FakeDevice(ptx::Memory& memory) : memory_(memory) {
    hooks.error = [](void* c, const char* message) { of(c).errors.push_back(message); };
    device.launch = [](void* c, const gf_module* module, const char* entry, const uint32_t* grid,
                       const uint32_t* block, uint32_t shared, void** params) {
      return of(c).launch(*module, entry, grid, block, shared, params);
    };
    device.allocate = [](void* c, size_t bytes, uint64_t* address) {
      return of(c).allocate(bytes, address);
    };
    device.release = [](void* c, uint64_t address) {
      --of(c).held;
      of(c).memory_.release(address);
    };
    hooks.device = &device;
    context.base.hooks = &hooks;
    context.owner = this;
  }

  void* as_context() { return &context; }

  std::vector<std::string> launched, errors;
  int held = 0;          ///< allocations not yet released
  int fail_launch = -1;  ///< number of the launch that fails
  int fail_allocation = -1;
  gf_hooks hooks = {};

 private:
  struct Context {
    gf_context base = {};
    FakeDevice* owner = nullptr;
  };
  static FakeDevice& of(void* context) { return *static_cast<Context*>(context)->owner; }

  int launch(const gf_module& code, const char* entry, const uint32_t* grid, const uint32_t* block,
             uint32_t shared, void** params) {
    if (int(launched.size()) == fail_launch) return kFailed;
    launched.push_back(entry);
    EXPECT_EQ(code.bytes, std::strlen(code.ptx));
    EXPECT_EQ(code.capability, 80);
    const ptx::Module module = ptx::parse(code.ptx);
    ptx::Launch l;
    l.grid = {grid[0], grid[1], grid[2]};
    l.block = {block[0], block[1], block[2]};
    l.shared_bytes = shared;
    for (const ptx::Parameter& p : module.kernel(entry).parameters) {
      const auto* bytes = static_cast<const std::byte*>(*params++);
      l.parameters.emplace_back(bytes, bytes + p.bytes);
    }
    ptx::run(module, entry, l, memory_);
    return 0;
  }

  int allocate(size_t bytes, uint64_t* address) {
    if (allocations_++ == fail_allocation) return kFailed;
    ++held;
    *address = memory_.allocate(bytes, "workspace");
    return 0;
  }

  ptx::Memory& memory_;
  gf_device_hooks device = {};
  Context context;
  int allocations_ = 0;
};

/// The generated source, compiled and opened.
class Call {
 public:
  Call(const TensorCoreKernel& kernel, const std::string& ptx) {
    const auto source = folder_.path() / "call.c", so = folder_.path() / "call.so";
    std::ofstream(source) << launch_source(kernel, ptx, "block");
    const std::vector<std::string> command = {find_program(c_compiler()),
                                              "-std=c11",
                                              "-shared",
                                              "-fPIC",
                                              "-Wall",
                                              "-Wextra",
                                              "-Werror",
                                              "-I" + source_dir() + "/runtime/include",
                                              "-o",
                                              so.string(),
                                              source.string()};
    const ProcessResult result = result_of(command, 120);
    EXPECT_TRUE(result.ok()) << result.errors;
    handle_ = dlopen(so.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle_) fail(dlerror());
    call = reinterpret_cast<int (*)(void**)>(dlsym(handle_, "block_argv"));
  }
  ~Call() {
    if (handle_) dlclose(handle_);
  }

  int (*call)(void**) = nullptr;

 private:
  TemporaryFolder folder_;
  void* handle_ = nullptr;
};

/// A halide_buffer_t on the device.
struct Buffer {
  Buffer(uint64_t address, const std::vector<std::pair<int32_t, int32_t>>& extents_and_strides) {
    for (const auto& [extent, stride] : extents_and_strides) dims.emplace_back(0, extent, stride);
    buffer.device = address;
    buffer.dimensions = int32_t(dims.size());
    buffer.dim = dims.data();
  }
  std::vector<halide_dimension_t> dims;
  halide_buffer_t buffer = {};
};

class Launching : public testing::TestWithParam<int64_t> {
 protected:
  /// Calls with the block's memory; `x_shift` moves x by that many bytes.
  int call(const Rows& rows, int64_t x_shift = 0) {
    if (rows.count > 0) block.prepare(rows);
    const auto matrix = [&](const char* name, int32_t columns, int32_t k) {
      const int32_t words = (k + 31) / 32 * 4,
                    panels = int32_t(packed_panels(spec.packing, columns));
      return Buffer(block.pointer(name), {{8, 1}, {64, 8}, {words, 512}, {panels, 512 * words}});
    };
    const auto row = [&](const char* name, const char* stride, uint64_t shift = 0) {
      if (rows.count == 0) return Buffer(0, {{100, 1}, {0, 104}});
      return Buffer(block.pointer(name) + shift,
                    {{100, 1}, {int32_t(rows.count), block.number(stride)}});
    };
    const auto bias = [&](const char* name) {
      return Buffer(block.pointer(name), {{int32_t(64 * packed_panels(spec.packing, 100)), 1}});
    };
    Buffer x = row("x", "x_stride", uint64_t(x_shift)), gate = matrix("gate", 85, 100),
           up = matrix("up", 85, 100), down = matrix("down", 100, 85), b0 = bias("gate_bias"),
           b1 = bias("up_bias"), b2 = bias("down_bias"),
           residual = row("residual", "residual_stride"), y = row("y", "y_stride");
    int32_t d_ff = 85;
    void* context = device.as_context();
    void* args[] = {&context,     &x.buffer,        &gate.buffer, &up.buffer,
                    &down.buffer, &b0.buffer,       &b1.buffer,   &b2.buffer,
                    &d_ff,        &residual.buffer, &y.buffer};
    return code.call(args);
  }

  KernelSpec spec = tensor_core_spec("swiglu", DType::bf16, GetParam());
  const TensorCoreKernel kernel = [this] {
    spec.ffn.shape = {100, 85};
    spec.ffn.bias = spec.ffn.residual = true;
    TensorCorePoint point = default_tensor_core_point(spec);
    point.split_k = GetParam() <= 16 ? 2 : 1;
    return tensor_core_kernel(spec, point, 80, "block");
  }();
  const std::string ptx = tensor_core_ptx(kernel);
  const FfnData data{spec.ffn, 7, 1};
  InterpretedBlock block{kernel, ptx, data};
  FakeDevice device{block.memory()};
  Call code{kernel, ptx};
  const size_t launches = GetParam() <= 16 ? 3 : 2;
};

TEST_P(Launching, ComputesTheBlock) {
  const Rows rows{.count = 21};
  ASSERT_EQ(call(rows), 0) << testing::PrintToString(device.errors);
  EXPECT_EQ(device.launched.size(), launches);
  EXPECT_EQ(device.held, 0);
  bool gaps_untouched = true;
  EXPECT_LE(error_of(data, block.read_y(rows, &gaps_untouched), rows.count), 4e-3);
}

TEST_P(Launching, NoRowsAreNoLaunch) {
  EXPECT_EQ(call({.count = 0}), 0);
  EXPECT_TRUE(device.launched.empty());
  EXPECT_EQ(device.held, 0);
}

TEST_P(Launching, XThatIsNotAlignedIsRefused) {
  EXPECT_EQ(call({.count = 3}, 2), -1);
  EXPECT_EQ(device.errors,
            std::vector<std::string>{"rows of x do not begin at multiples of 16 bytes"});
  EXPECT_TRUE(device.launched.empty());
}

TEST_P(Launching, WithoutADeviceItSaysSo) {
  device.hooks.device = nullptr;
  EXPECT_EQ(call({.count = 3}), -1);
  EXPECT_EQ(device.errors.size(), 1u);
}

TEST_P(Launching, AFailedLaunchEndsTheCallAndFreesItsMemory) {
  for (int i = 0; i < int(launches); ++i) {
    device.launched.clear();
    device.fail_launch = i;
    EXPECT_EQ(call({.count = 3}), kFailed);
    EXPECT_EQ(int(device.launched.size()), i);
    EXPECT_EQ(device.held, 0);
  }
}

TEST_P(Launching, AFailedAllocationEndsTheCall) {
  device.fail_allocation = int(launches) - 2;  // partial sums, where there are some
  EXPECT_EQ(call({.count = 3}), kFailed);
  EXPECT_TRUE(device.launched.empty());
  EXPECT_EQ(device.held, 0);
}

INSTANTIATE_TEST_SUITE_P(Buckets, Launching, testing::Values(16, 64));

}  // namespace
}  // namespace gatefold::test
