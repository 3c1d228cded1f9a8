#include "tests/runtime/fake_library.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "HalideRuntime.h"
#include "runtime/float_formats.h"
#include "runtime/fp_environment.h"
#include "runtime/reference/activation.h"

namespace gatefold::test {
namespace {

std::mutex g_mutex;
std::array<std::atomic<FakeLibrary*>, FakeLibrary::kMax> g_libraries;

template <size_t kNumber>
int call_number(void** arguments) {
  return g_libraries[kNumber].load()->run(arguments);
}

template <size_t... kNumbers>
constexpr auto make_calls(std::index_sequence<kNumbers...>) {
  return std::array<int (*)(void**), sizeof...(kNumbers)>{call_number<kNumbers>...};
}

constexpr auto kCalls = make_calls(std::make_index_sequence<FakeLibrary::kMax>());

float element(const uint8_t* p, gf_dtype dtype) {
  if (dtype == GF_F32) return *reinterpret_cast<const float*>(p);
  return f32_from_bf16(*reinterpret_cast<const uint16_t*>(p));
}

/// One call as the kernel sees it.
struct Call {
  FakeLibrary* library;
  void* context;
  const halide_buffer_t* x;
  const halide_buffer_t* const* streams;
  const halide_buffer_t* bias[3] = {};
  const halide_buffer_t* residual;
  const halide_buffer_t* y;

  int64_t size() const { return library->options.dtype == GF_F32 ? 4 : 2; }

  /// Weight (n, k) out of the stream that has its panel.
  float weight(int matrix, int64_t n, int64_t k) const {
    const FakeOptions& o = library->options;
    const int64_t panel = n / o.packing.panel, column = n % o.packing.panel;
    const int64_t step = o.steps, in_pair = k % o.packing.pair;
    const int first_matrix = library->variant.gated ? GF_MATRIX_GATE : GF_MATRIX_UP;
    const halide_buffer_t& b = *streams[(matrix - first_matrix) * step + panel % step];
    const int64_t per_word = o.word_bits / 8 / size();
    const int64_t word = in_pair / per_word * b.dim[0].stride + column * b.dim[1].stride +
                         k / o.packing.pair * b.dim[2].stride + panel / step * b.dim[3].stride;
    if (panel / step >= b.dim[3].extent || k / o.packing.pair >= b.dim[2].extent) return NAN;
    return element(b.host + word * (o.word_bits / 8) + in_pair % per_word * size(), o.dtype);
  }
  float bias_of(int matrix, int64_t n) const {
    return bias[matrix] ? reinterpret_cast<const float*>(bias[matrix]->host)[n] : 0.0f;
  }
  float value(const halide_buffer_t& b, int64_t row, int64_t column) const {
    const int64_t index = row * b.dim[1].stride + column * b.dim[0].stride;
    return element(b.host + index * size(), library->options.dtype);
  }
  float input(int64_t row, int64_t column) const { return value(*x, row, column); }
  void output(int64_t row, int64_t column, float value) const {
    uint8_t* p = y->host + (row * y->dim[1].stride + column * y->dim[0].stride) * size();
    if (library->options.dtype == GF_F32) {
      *reinterpret_cast<float*>(p) = value;
    } else {
      *reinterpret_cast<uint16_t*>(p) = bf16_from_f32(value);
    }
  }
};

int compute_row(void* context, int row, uint8_t* closure) {
  const Call& call = *reinterpret_cast<const Call*>(closure);
  FakeLibrary& library = *call.library;
  if (fp_controls(read_fp_word()) != kStandardFpWord) library.odd_fp_word = true;
  const int64_t d_model = call.x->dim[0].extent;
  const int64_t d_ff = library.options.d_ff;
  auto* hidden = static_cast<float*>(
      hooks_of(context).allocate(context, static_cast<size_t>(d_ff) * sizeof(float)));
  if (!hidden) return -1;
  for (int64_t f = 0; f < d_ff; ++f) {
    float gate = call.bias_of(GF_MATRIX_GATE, f), up = call.bias_of(GF_MATRIX_UP, f);
    for (int64_t k = 0; k < d_model; ++k) {
      if (library.variant.gated) gate += call.weight(GF_MATRIX_GATE, f, k) * call.input(row, k);
      up += call.weight(GF_MATRIX_UP, f, k) * call.input(row, k);
    }
    hidden[f] = static_cast<float>(reference_hidden(library.variant, gate, up));
  }
  for (int64_t column = 0; column < d_model; ++column) {
    float sum = call.bias_of(GF_MATRIX_DOWN, column);
    for (int64_t f = 0; f < d_ff; ++f) sum += call.weight(GF_MATRIX_DOWN, column, f) * hidden[f];
    if (call.residual) sum += call.value(*call.residual, row, column);
    call.output(row, column, sum);
  }
  hooks_of(context).release(context, hidden);
  return 0;
}

const halide_buffer_t* buffer(void* argument) { return static_cast<halide_buffer_t*>(argument); }

}  // namespace

FakeLibrary::FakeLibrary(FakeOptions o)
    : options(std::move(o)), variant(variant_named(options.variant)) {
  const std::lock_guard lock(g_mutex);
  for (number_ = 0; g_libraries[static_cast<size_t>(number_)].load(); ++number_) {
    if (number_ + 1 == kMax) throw std::runtime_error("too many fake libraries");
  }
  g_libraries[static_cast<size_t>(number_)] = this;
  for (int m = variant.gated ? GF_MATRIX_GATE : GF_MATRIX_UP; m <= GF_MATRIX_DOWN; ++m)
    for (int first = 0; first < options.steps; ++first)
      streams_.push_back({static_cast<uint8_t>(m), static_cast<uint8_t>(first),
                          static_cast<uint8_t>(options.steps), 0});
  for (const char* target : options.targets) add_kernels(target);
  table = {GF_KERNEL_TABLE_MAGIC,
           GF_KERNEL_TABLE_VERSION,
           sizeof table,
           sizeof(gf_kernel),
           "fake",
           options.variant,
           options.dtype == GF_F32 ? "f32" : "bf16",
           variant.slope,
           variant.alpha,
           variant.limit,
           variant.up_offset,
           variant.gated,
           options.bias,
           options.any ? 0 : options.d_model,
           options.any ? 0 : options.d_ff,
           1,
           static_cast<int32_t>(kernels.size()),
           "21.0.0",
           kernels.data(),
           options.dtype == GF_F32 ? "f32" : "bf16",
           options.residual,
           "f32"};
}

FakeLibrary::~FakeLibrary() { g_libraries[static_cast<size_t>(number_)] = nullptr; }

void FakeLibrary::add_kernels(const char* target) {
  int64_t from = 1;
  for (size_t i = 0; i < options.rows.size(); ++i) {
    const bool last = i + 1 == options.rows.size();
    gf_kernel k = {};
    k.name = "fake_kernel";
    k.target = target;
    k.packing = options.packing;
    k.point = "fusion=fake";
    k.origin = "default";
    k.rows_min = from;
    k.rows_max = last ? INT64_MAX : options.rows[i];
    k.stream_count = static_cast<int32_t>(streams_.size());
    k.streams = streams_.data();
    k.word_code = options.word_code;
    k.word_bits = options.word_bits;
    k.word_k = options.word_k;
    k.call = kCalls[static_cast<size_t>(number_)];
    k.margin_pct = k.efficiency = k.median_ms = NAN;
    from = options.rows[i] + 1;
    kernels.push_back(k);
  }
}

int FakeLibrary::run(void** arguments) {
  ++calls;
  Call call{this,
            *static_cast<void**>(arguments[0]),
            buffer(arguments[1]),
            reinterpret_cast<const halide_buffer_t* const*>(arguments + 2),
            {},
            nullptr,
            nullptr};
  void** rest = arguments + 2 + streams_.size();
  if (options.bias) {
    for (int m = variant.gated ? GF_MATRIX_GATE : GF_MATRIX_UP; m <= GF_MATRIX_DOWN; ++m)
      call.bias[m] = buffer(*rest++);
  }
  ++rest;  // d_ff
  if (options.residual) call.residual = buffer(*rest++);
  call.y = buffer(*rest);
  if (before_call) {
    if (const int code = before_call(call.context)) return code;
  }
  most_rows = std::max<int64_t>(most_rows, call.x->dim[1].extent);
  return hooks_of(call.context)
      .par_for(call.context, compute_row, 0, call.x->dim[1].extent,
               reinterpret_cast<uint8_t*>(&call));
}

}  // namespace gatefold::test
