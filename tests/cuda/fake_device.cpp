#include "tests/cuda/fake_device.h"

#include <cstdlib>
#include <cstring>
#include <sstream>

namespace gatefold::test {
namespace {

constexpr int kOutOfMemory = -16, kLaunchFailed = -23;  // what a runtime may well give

size_t bytes_of(const std::vector<halide_dimension_t>& shape, int bits) {
  int64_t last = 0;
  for (const halide_dimension_t& d : shape) last += int64_t{d.extent - 1} * d.stride;
  return static_cast<size_t>((last + 1) * bits / 8);
}

std::string text_of(const uint32_t size[3]) {
  return std::to_string(size[0]) + ", " + std::to_string(size[1]) + ", " + std::to_string(size[2]);
}

}  // namespace

std::vector<std::string> parameters_of(const std::string& ptx, const std::string& entry) {
  const std::string begins = ".entry " + entry + "(";
  const size_t at = ptx.find(begins);
  if (at == ptx.npos) return {};
  const size_t from = at + begins.size();
  std::istringstream text(ptx.substr(from, ptx.find(")", from) - from));
  std::vector<std::string> found;
  for (std::string line; std::getline(text, line, ',');) found.push_back(line);
  return found;
}

FakeDevice::FakeDevice()
    : head_{&hooks_},
      device_hooks_{launch, allocate, release, [](void*, uint64_t, size_t) { return 0; }},
      hooks_{nullptr, [](void*, size_t bytes) { return std::malloc(bytes); },
             [](void*, void* memory) { std::free(memory); },
             [](void* context, const char* message) { of(context).error = message; },
             &device_hooks_} {}

FakeDevice& FakeDevice::of(void* context) {
  struct Begin {
    gf_context head;
    FakeDevice* self;
  };
  return *static_cast<Begin*>(context)->self;
}

uint64_t FakeDevice::new_address(size_t bytes) {
  const uint64_t address = next_;
  next_ += (bytes + 511) / 256 * 256;
  addresses_.insert(address);
  return address;
}

int FakeDevice::allocate(void* context, size_t bytes, uint64_t* address) {
  FakeDevice& device = of(context);
  if (device.allocations++ == device.allocation_that_fails) return kOutOfMemory;
  *address = device.new_address(bytes);
  device.memory[*address] = bytes;
  return 0;
}

void FakeDevice::release(void* context, uint64_t address) {
  FakeDevice& device = of(context);
  if (device.memory.erase(address) != 1) device.complaint = "memory that is not allocated";
}

int FakeDevice::launch(void* context, const gf_module* module, const char* entry,
                       const uint32_t grid[3], const uint32_t block[3], uint32_t shared_bytes,
                       void** params) {
  FakeDevice& device = of(context);
  FakeLaunch launch{module, entry, {}, {}, shared_bytes};
  std::memcpy(launch.grid, grid, sizeof launch.grid);
  std::memcpy(launch.block, block, sizeof launch.block);
  const bool fails = static_cast<int>(device.launches.size()) == device.launch_that_fails;
  device.launches.push_back(launch);
  device.check(launch, params);
  return fails ? kLaunchFailed : 0;
}

/// As a driver would: the kernel exists, its block is the one it was compiled for, and its pointers
/// are the device's.
void FakeDevice::check(const FakeLaunch& launch, void** params) {
  const std::string ptx(launch.module->ptx, launch.module->bytes);
  const std::vector<std::string> parameters = parameters_of(ptx, launch.entry);
  if (parameters.empty()) complaint = "no kernel " + launch.entry;
  const size_t at = ptx.find(".entry " + launch.entry + "(");
  const std::string head = ptx.substr(at, ptx.find('{', at) - at);
  if (head.find(".maxntid " + text_of(launch.block) + "\n") == head.npos)
    complaint = launch.entry + ": blocks of " + text_of(launch.block) + " in " + head;
  if (launch.grid[0] < 1 || launch.grid[1] > 65535 || launch.grid[2] > 65535)
    complaint = launch.entry + ": grid of " + text_of(launch.grid);
  if (launch.shared_bytes > 48 << 10) complaint = launch.entry + ": too much shared memory";
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].find(".u64") == std::string::npos) continue;
    uint64_t address;
    std::memcpy(&address, params[i], sizeof address);
    if (!addresses_.count(address)) complaint = launch.entry + ": a pointer to nothing";
  }
}

halide_buffer_t* FakeDevice::buffer(halide_type_t type, std::vector<halide_dimension_t> shape) {
  shapes_.push_back(std::move(shape));
  halide_buffer_t& b = buffers_.emplace_back();
  b = {};
  b.device = new_address(bytes_of(shapes_.back(), type.bits));
  b.type = type;
  b.dimensions = static_cast<int>(shapes_.back().size());
  b.dim = shapes_.back().data();
  b.set_flag(halide_buffer_flag_device_dirty, true);
  return &b;
}

int FakeDevice::call(const gf_kernel& kernel, int64_t d_model, int64_t d_ff, int64_t rows,
                     int biases, bool residual) {
  buffers_.clear(), shapes_.clear();
  hooks_.device = present ? &device_hooks_ : nullptr;
  const gf_packing& p = kernel.packing;
  const halide_type_t f32(halide_type_float, 32);
  const auto matrix_rows = [&] {
    return buffer(f32, {{0, int(d_model), 1}, {0, int(rows), int(d_model)}});
  };
  void* context = &head_;
  std::vector<void*> args = {&context, matrix_rows()};
  for (int i = 0; i < kernel.stream_count; ++i) {
    const gf_weight_stream& stream = kernel.streams[i];
    const bool down = stream.matrix == GF_MATRIX_DOWN;
    const int64_t columns = down ? d_model : d_ff, length = down ? d_ff : d_model;
    const auto up = [](int64_t a, int64_t b) { return static_cast<int>((a + b - 1) / b); };
    const int kq = up(up(length, p.pair), p.k_step) * p.k_step;
    const int panels = up(up(columns, p.panel), p.group) * p.group / stream.step;
    const int words = kernel.word_k;
    args.push_back(buffer({halide_type_code_t(kernel.word_code), kernel.word_bits},
                          {{0, words, 1},
                           {0, p.panel, words},
                           {0, kq, words * p.panel},
                           {0, panels, words * p.panel * kq * stream.step}}));
  }
  for (int i = 0; i < biases; ++i)
    args.push_back(buffer(f32, {{0, int(i + 1 < biases ? d_ff : d_model) + 256, 1}}));
  auto d_ff_now = static_cast<int32_t>(d_ff);
  args.push_back(&d_ff_now);
  if (residual) args.push_back(matrix_rows());
  args.push_back(matrix_rows());
  return kernel.call(args.data());
}

}  // namespace gatefold::test
