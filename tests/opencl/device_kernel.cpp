#include "tests/opencl/device_kernel.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "runtime/pack.h"
#include "schedules/space.h"

namespace gatefold::test {
namespace {

using Halide::Buffer;

constexpr int kBeside = 5;  ///< columns beside a row
constexpr uint8_t kStays = 0x5a;

template <typename Function>
Function symbol(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

MatrixView view(const gf_tensor& t) {
  return {static_cast<const uint8_t*>(t.data), GF_F32, t.rows, t.cols, t.cols, 1};
}

/// One matrix as the runtime packs it.
std::vector<uint8_t> packed(const gf_tensor& t, const KernelSpec& k) {
  const Packing& p = k.packing;
  const PackedLayout layout = packed_layout({p.panel, p.pair, p.k_step * p.k_lines, p.group},
                                            t.rows, t.cols, runtime_dtype(k.ffn.dtype));
  std::vector<uint8_t> out(static_cast<size_t>(layout.bytes()));
  EXPECT_EQ(pack_matrix(view(t), layout, {}, out.data()), 0);
  return out;
}

/// Panels first, first + step, … of a packed matrix: (word, column, k / pair, panel).
Buffer<> stream(const Halide::ImageParam& param, std::vector<uint8_t>& matrix, const KernelSpec& k,
                int64_t length, int first, int step) {
  constexpr int kWords = 4;  // 16 bytes
  const int panel = k.packing.panel;
  const auto kq = static_cast<int>(packed_lines(k.packing, length) * k.packing.k_step);
  const int panel_words = kWords * panel * kq;
  const auto panels = static_cast<int>(matrix.size() / 4) / panel_words / step;
  const halide_dimension_t shape[] = {
      {0, kWords, 1}, {0, panel, kWords}, {0, kq, kWords * panel}, {0, panels, step * panel_words}};
  Buffer<> found(param.type(), matrix.data() + int64_t{4} * first * panel_words, 4, shape);
  found.set_host_dirty();
  return found;
}

/// (column, row) of rows with others beside them.
Buffer<> rows_in(const Halide::Type& type, std::vector<uint8_t>& bytes, int columns, int rows) {
  const halide_dimension_t shape[] = {{0, columns + kBeside, 1}, {0, rows, columns + kBeside}};
  Buffer<> found(type, bytes.data(), 2, shape);
  found.set_host_dirty();
  return found;
}

std::vector<uint8_t> widened_rows(DType dtype, const std::vector<float>& values, int columns) {
  std::vector<float> wide;
  for (size_t i = 0; i < values.size(); i += static_cast<size_t>(columns)) {
    wide.insert(wide.end(), values.begin() + long(i), values.begin() + long(i) + columns);
    wide.insert(wide.end(), kBeside, std::numeric_limits<float>::quiet_NaN());
  }
  return stored_as(dtype, wide);
}

/// The rows of a result, and that nothing was written beside them.
std::vector<float> narrowed_rows(DType dtype, const std::vector<uint8_t>& bytes, int columns) {
  const auto size = static_cast<size_t>(info(dtype).bytes);
  const size_t row = static_cast<size_t>(columns + kBeside) * size;
  std::vector<float> values;
  for (size_t begin = 0; begin < bytes.size(); begin += row) {
    for (size_t i = 0; i < row; ++i) {
      const bool beside = i >= static_cast<size_t>(columns) * size;
      if (beside) EXPECT_EQ(bytes[begin + i], kStays) << "beside row " << begin / row;
      if (!beside && i % size == 0) values.push_back(loaded_from(dtype, &bytes[begin + i]));
    }
  }
  return values;
}

/// Halide's errors are no std::exception, so GoogleTest would not show them.
template <typename Work>
void with_messages(Work work) {
  try {
    work();
  } catch (const Halide::Error& error) {
    throw std::runtime_error(error.what());
  }
}

}  // namespace

std::string no_opencl() {
  void* library = dlopen("libOpenCL.so.1", RTLD_NOW);
  if (!library) return "no libOpenCL.so.1 (Debian: ocl-icd-libopencl1 and pocl-opencl-icd)";
  using GetPlatforms = int (*)(unsigned, void*, unsigned*);
  unsigned platforms = 0;
  const auto get = symbol<GetPlatforms>(library, "clGetPlatformIDs");
  if (!get || get(0, nullptr, &platforms) != 0 || platforms == 0)
    return "libOpenCL.so.1 knows no platform (Debian: pocl-opencl-icd)";
  return "";
}

KernelSpec opencl_kernel(const FfnSpec& ffn, int64_t rows, const char* point) {
  KernelSpec k{ffn, Target::opencl, {rows, rows, rows}, {}, {}};
  k.packing = legal_packings(ffn, k.target).front();
  k.point = default_point(k, cpu_profile_named("generic"));
  if (point) k.point = parse_point(point);
  EXPECT_EQ(why_illegal(k).value_or(""), "") << k.point.text();
  return k;
}

DeviceKernel::DeviceKernel(const KernelSpec& kernel)
    : kernel_(kernel),
      stages_(ffn_algorithm(kernel)),
      target_(Halide::Target(info(kernel.target).halide)
                  .with_feature(Halide::Target::JIT)
                  .with_feature(Halide::Target::NoAsserts)) {  // as of emitted kernels
  with_messages([this] {
    schedule(stages_);
    pipeline_ = Halide::Pipeline(stages_.y);
    pipeline_.compile_jit(target_);
  });
}

void DeviceKernel::set_weights(const FfnData& data) {
  const Shape& shape = data.ffn().shape;
  const gf_ffn_weights w = data.weights();
  const bool gated = kernel_.ffn.variant.gated;
  std::vector<const gf_tensor*> first = {&w.up}, biases = {&w.up_bias, &w.down_bias};
  if (gated) first.insert(first.begin(), &w.gate), biases.insert(biases.begin(), &w.gate_bias);
  packed_.clear();
  for (const gf_tensor* t : first) packed_.push_back(packed(*t, kernel_));
  packed_.push_back(packed(w.down, kernel_));
  size_t matrix = 0;
  const auto set = [&](Projection& p, size_t matrices, int64_t length) {
    const size_t each = p.streams.size() / matrices;
    for (size_t i = 0; i < p.streams.size(); ++i) {
      p.streams[i].set(stream(p.streams[i], packed_[matrix + i / each], kernel_, length,
                              int(i % each), int(each)));
    }
    matrix += matrices;
  };
  for (Projection& p : stages_.first) set(p, first.size() / stages_.first.size(), shape.d_model);
  set(stages_.down, 1, shape.d_ff);
  biases_.clear();
  for (size_t i = 0; i < stages_.biases.size(); ++i) {
    const bool down = i + 1 == stages_.biases.size();
    const int64_t columns = down ? shape.d_model : shape.d_ff;
    const int64_t padded = packed_panels(kernel_.packing, columns) * kernel_.packing.panel;
    const auto* values = static_cast<const float*>(biases[i]->data);
    biases_.emplace_back(values, values + columns).resize(static_cast<size_t>(padded));
    Buffer<float> bias(biases_[i].data(), int(padded));
    bias.set_host_dirty();
    stages_.biases[i].set(bias);
  }
  stages_.d_ff.set(int(shape.d_ff));
}

std::vector<float> DeviceKernel::run(const FfnData& data, const std::vector<float>& x,
                                     const std::vector<float>& residual) {
  const DType act = kernel_.ffn.act();
  const auto columns = static_cast<int>(data.ffn().shape.d_model);
  const auto rows = static_cast<int>(x.size()) / columns;
  set_weights(data);
  std::vector<uint8_t> in = widened_rows(act, x, columns), added;
  stages_.x.set(rows_in(stages_.x.type(), in, columns, rows).cropped(0, 0, columns));
  if (stages_.residual.defined()) {
    added = widened_rows(act, residual, columns);
    stages_.residual.set(
        rows_in(stages_.residual.type(), added, columns, rows).cropped(0, 0, columns));
  }
  std::vector<uint8_t> out(in.size(), kStays);
  Buffer<> whole = rows_in(stages_.y.type(), out, columns, rows);
  whole.copy_to_device(target_);
  Buffer<> y = whole.cropped(0, 0, columns);
  with_messages([&] { pipeline_.realize(y, target_); });
  y.device_deallocate();
  whole.set_host_dirty(false);
  whole.set_device_dirty();
  whole.copy_to_host();
  return narrowed_rows(act, out, columns);
}

}  // namespace gatefold::test
