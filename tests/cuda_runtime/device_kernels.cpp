#include "tests/cuda_runtime/device_kernels.h"

#include <cmath>
#include <cstring>
#include <stdexcept>

#include "runtime/float_formats.h"
#include "runtime/reference/activation.h"

namespace gatefold::test {
namespace {

template <typename T>
T read_at(const std::vector<std::byte>& bytes) {
  T value;
  if (bytes.size() != sizeof value) throw std::logic_error("a parameter of another size");
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

KernelArguments arguments_of(const FakeLaunch& launch) {
  KernelArguments a = {};
  uint64_t* const addresses[] = {&a.x,       &a.gate,      &a.up,       &a.down,   &a.gate_bias,
                                 &a.up_bias, &a.down_bias, &a.residual, &a.hidden, &a.y};
  uint32_t* const numbers[] = {&a.rows, &a.d_ff, &a.x_stride, &a.residual_stride, &a.y_stride};
  size_t i = 0;
  for (uint64_t* address : addresses) *address = read_at<uint64_t>(launch.params.at(i++));
  for (uint32_t* number : numbers) *number = read_at<uint32_t>(launch.params.at(i++));
  return a;
}

/// The block's matrices as a kernel finds them in device memory.
class OnDevice {
 public:
  OnDevice(const DeviceBlock& b, const KernelArguments& a) : block_(b), a_(a) {}

  void hidden_layer() const {
    for (int64_t row = 0; row < a_.rows; ++row) {
      check_row(row);
      for (int64_t f = 0; f < a_.d_ff; ++f) hidden_value(row, f);
    }
  }
  void output() const {
    if (a_.y % 16 || a_.y_stride * size() % 16) fake_cuda().complain("rows of y are not aligned");
    if (a_.residual % 16 || a_.residual_stride * size() % 16)
      fake_cuda().complain("rows of the residual are not aligned");
    for (int64_t row = 0; row < a_.rows; ++row)
      for (int64_t column = 0; column < options().d_model; ++column) output_value(row, column);
  }

 private:
  const FakeOptions& options() const { return block_.block.fake.options; }
  int64_t size() const { return options().dtype == GF_F32 ? 4 : 2; }
  int64_t kq_of(int64_t k) const {
    const gf_packing& p = block_.kernels.back().packing;
    return (k + p.pair * p.k_step - 1) / (p.pair * p.k_step) * p.k_step;
  }

  float load(uint64_t address) const {
    const void* p = fake_cuda().at(address, static_cast<size_t>(size()));
    if (!p) return NAN;
    if (size() == 4) return *static_cast<const float*>(p);
    return f32_from_bf16(*static_cast<const uint16_t*>(p));
  }
  float load_f32(uint64_t address) const {
    const void* p = fake_cuda().at(address, 4);
    return p ? *static_cast<const float*>(p) : NAN;
  }
  float weight(uint64_t matrix, int64_t n, int64_t k, int64_t depth) const {
    const gf_packing& p = block_.kernels.back().packing;
    const int64_t word = (n / p.panel * kq_of(depth) + k / p.pair) * p.panel + n % p.panel;
    return load(matrix + static_cast<uint64_t>((word * p.pair + k % p.pair) * size()));
  }
  float x(int64_t row, int64_t k) const {
    return load(a_.x + static_cast<uint64_t>((row * a_.x_stride + k) * size()));
  }

  /// What is promised of x: alignment, and zeros up to the padded k.
  void check_row(int64_t row) const {
    if (a_.x % 16 || a_.x_stride * size() % 16) fake_cuda().complain("rows of x are not aligned");
    const int64_t padded = kq_of(options().d_model) * block_.kernels.back().packing.pair;
    for (int64_t k = options().d_model; k < padded; ++k)
      if (x(row, k) != 0) fake_cuda().complain("x is not padded with zeros");
  }
  void hidden_value(int64_t row, int64_t f) const {
    const int64_t d_model = options().d_model;
    float gate = a_.gate_bias ? load_f32(a_.gate_bias + 4 * static_cast<uint64_t>(f)) : 0;
    float up = a_.up_bias ? load_f32(a_.up_bias + 4 * static_cast<uint64_t>(f)) : 0;
    for (int64_t k = 0; k < d_model; ++k) {
      if (a_.gate) gate += weight(a_.gate, f, k, d_model) * x(row, k);
      up += weight(a_.up, f, k, d_model) * x(row, k);
    }
    const auto value = static_cast<float>(reference_hidden(block_.block.fake.variant, gate, up));
    void* p = fake_cuda().at(a_.hidden + 4 * static_cast<uint64_t>(row * a_.d_ff + f), 4);
    if (p) std::memcpy(p, &value, 4);
  }
  void output_value(int64_t row, int64_t column) const {
    float sum = a_.down_bias ? load_f32(a_.down_bias + 4 * static_cast<uint64_t>(column)) : 0;
    for (int64_t f = 0; f < a_.d_ff; ++f) {
      sum += weight(a_.down, column, f, a_.d_ff) *
             load_f32(a_.hidden + 4 * static_cast<uint64_t>(row * a_.d_ff + f));
    }
    const auto offset = [&](uint32_t stride) {
      return static_cast<uint64_t>((row * stride + column) * size());
    };
    if (a_.residual) sum += load(a_.residual + offset(a_.residual_stride));
    const uint16_t half = bf16_from_f32(sum);
    const void* value = size() == 4 ? static_cast<const void*>(&sum) : &half;
    if (void* p = fake_cuda().at(a_.y + offset(a_.y_stride), static_cast<size_t>(size())))
      std::memcpy(p, value, static_cast<size_t>(size()));
  }

  const DeviceBlock& block_;
  const KernelArguments& a_;
};

}  // namespace

std::string two_entries(const char* version, const char* target) {
  std::string parameters;
  for (int i = 0; i < 10; ++i) parameters += "  .param .u64 p" + std::to_string(i) + ",\n";
  for (int i = 10; i < 15; ++i)
    parameters += "  .param .u32 p" + std::to_string(i) + (i < 14 ? ",\n" : "\n");
  std::string text = std::string("// of a test\n.version ") + version + "\n.target " + target +
                     "\n.address_size 64\n.shared .align 16 .b8 tile[1024];\n";
  for (const char* name : {"hidden_layer", "output"})
    text += std::string(".visible .entry ") + name + "(\n" + parameters + ")\n{\n  ret;\n}\n";
  return text;
}

void set_kernels(const DeviceBlock& block) {
  const DeviceBlock* const b = &block;
  fake_cuda().set_kernel("hidden_layer", [b](const FakeLaunch& launch) {
    const KernelArguments a = arguments_of(launch);
    OnDevice(*b, a).hidden_layer();
  });
  fake_cuda().set_kernel("output", [b](const FakeLaunch& launch) {
    const KernelArguments a = arguments_of(launch);
    OnDevice(*b, a).output();
  });
}

}  // namespace gatefold::test
