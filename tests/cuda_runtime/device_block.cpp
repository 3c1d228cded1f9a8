#include "tests/cuda_runtime/device_block.h"

#include <dlfcn.h>

#include <stdexcept>

#include "HalideRuntime.h"
#include "tests/cuda_runtime/device_kernels.h"

namespace gatefold::test {
namespace {

DeviceBlock* g_block = nullptr;

/// A kernel's arguments, as kernel_table.h has them.
struct Unpacked {
  void* context;
  const halide_buffer_t* x;
  KernelArguments a = {};

  explicit Unpacked(void** arguments) {
    const FakeLibrary& fake = g_block->block.fake;
    context = *static_cast<void**>(arguments[0]);
    int next = 1;
    const auto buffer = [&] {
      const auto* b = static_cast<const halide_buffer_t*>(arguments[next++]);
      if (b->host || !b->device || b->flags != halide_buffer_flag_device_dirty)
        fake_cuda().complain("a buffer that is not on the device");
      return b;
    };
    const auto stride = [](const halide_buffer_t* b) {
      return static_cast<uint32_t>(b->dim[1].stride);
    };
    x = buffer();
    a.x = x->device;
    a.x_stride = stride(x);
    if (fake.variant.gated) a.gate = buffer()->device;
    a.up = buffer()->device;
    a.down = buffer()->device;
    if (fake.options.bias) {
      if (fake.variant.gated) a.gate_bias = buffer()->device;
      a.up_bias = buffer()->device;
      a.down_bias = buffer()->device;
    }
    a.d_ff = static_cast<uint32_t>(*static_cast<const int32_t*>(arguments[next++]));
    if (fake.options.residual) {
      const halide_buffer_t* residual = buffer();
      a.residual = residual->device;
      a.residual_stride = stride(residual);
    }
    const halide_buffer_t* y = buffer();
    a.y = y->device;
    a.y_stride = stride(y);
    a.rows = static_cast<uint32_t>(x->dim[1].extent);
  }
};

}  // namespace

FakeCuda& fake_cuda() {
  static FakeCuda* const found = [] {
    void* handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    void* symbol = handle ? dlsym(handle, kFakeCudaSymbol) : nullptr;
    if (!symbol)
      throw std::runtime_error(
          "libcuda.so.1 is not the fake: wanted its folder in LD_LIBRARY_PATH");
    return reinterpret_cast<FakeCudaFunction>(symbol)();
  }();
  return *found;
}

DeviceBlock::DeviceBlock(FakeOptions options, std::vector<const char*> targets)
    : block(std::move(options)), ptx(two_entries()), kernels(block.fake.kernels) {
  if (g_block) throw std::logic_error("one DeviceBlock at a time");
  g_block = this;
  for (int m = block.fake.variant.gated ? GF_MATRIX_GATE : GF_MATRIX_UP; m <= GF_MATRIX_DOWN; ++m)
    streams.push_back({static_cast<uint8_t>(m), 0, 1, 0});
  for (const char* target : targets) add_kernels(target);
  module = {ptx.c_str(), ptx.size(), 80, 0};
  gf_kernel_table& table = block.fake.table;
  table.kernels = kernels.data();
  table.kernel_count = static_cast<int32_t>(kernels.size());
  library = std::make_unique<Library>(Library::link(&table));
}

DeviceBlock::~DeviceBlock() { g_block = nullptr; }

/// Two buckets: one row, and all others.
void DeviceBlock::add_kernels(const char* target) {
  const bool f32 = block.fake.options.dtype == GF_F32;
  gf_kernel k = block.fake.kernels.front();
  k.name = "kernel_for_cuda";
  k.target = target;
  k.packing = {64, f32 ? 4 : 8, f32 ? 8 : 4, 1};
  k.stream_count = static_cast<int32_t>(streams.size());
  k.streams = streams.data();
  k.word_code = f32 ? halide_type_float : halide_type_uint;
  k.word_bits = f32 ? 32 : 16;
  k.word_k = f32 ? 4 : 8;
  k.call = call;
  k.rows_min = k.rows_max = 1;
  kernels.push_back(k);
  k.rows_min = 2;
  k.rows_max = INT64_MAX;
  kernels.push_back(k);
}

gf_status DeviceBlock::create(gf_ffn** out, const char* isa, int device) const {
  const FakeOptions& o = block.fake.options;
  const gf_ffn_desc desc = {sizeof desc, o.d_model, o.d_ff, nullptr};
  const gf_ffn_weights weights = block.weights();
  gf_options settings = options(1, isa);
  settings.cuda_device = device;
  return gf_ffn_create(library->get(), &desc, &weights, &settings, out);
}

Ffn DeviceBlock::make(const char* isa) const {
  const FakeOptions& o = block.fake.options;
  return Ffn(*library, o.d_model, o.d_ff, block.weights(), options(1, isa));
}

int DeviceBlock::call(void** arguments) {
  Unpacked u(arguments);
  set_kernels(*g_block);
  const LaunchOptions& launch = g_block->launch;
  const gf_device_hooks& hooks = *hooks_of(u.context).device;
  KernelArguments& a = u.a;
  const size_t bytes = size_t{4} * a.rows * a.d_ff;
  if (const int code = hooks.allocate(u.context, bytes, &a.hidden)) return code;
  if (const int code = hooks.zero(u.context, a.hidden, bytes)) return code;
  void* params[] = {
      &a.x,        &a.gate,   &a.up, &a.down, &a.gate_bias, &a.up_bias,  &a.down_bias,
      &a.residual, &a.hidden, &a.y,  &a.rows, &a.d_ff,      &a.x_stride, &a.residual_stride,
      &a.y_stride};
  const uint32_t grid[] = {1, launch.grid_y, 1}, threads[] = {launch.threads, 1, 1};
  int code = hooks.launch(u.context, &g_block->module, launch.entry, grid, threads,
                          launch.shared_bytes, params);
  launch.between();
  if (code == 0)
    code = hooks.launch(u.context, &g_block->module, "output", grid, threads, 0, params);
  if (!launch.keep_hidden) hooks.release(u.context, a.hidden);
  return code ? code : launch.result;
}

}  // namespace gatefold::test
