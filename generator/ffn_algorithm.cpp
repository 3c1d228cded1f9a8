#include "generator/ffn_algorithm.h"

#include <algorithm>

#include "generator/activations.h"
#include "generator/numerics.h"

namespace gatefold {
namespace {

using namespace Halide;

bool uses_dot(const KernelSpec& k) { return uses_bf16_dot(k.ffn, k.target); }

bool on_device(const KernelSpec& k) { return info(k.target).device != Device::cpu; }

/// PoCL's OpenCL has no type of 16 bits that floats fit in: they travel as integers there.
bool has_f16(const KernelSpec& k) { return info(k.target).device != Device::opencl; }

bool sums_in_f16(const KernelSpec& k) { return k.ffn.accumulate == DType::f16; }

/// Of one k-block's sums; all others are f32.
Type sum_type(const KernelSpec& k) { return sums_in_f16(k) ? Float(16) : Float(32); }

/// Element type of a packed-weight argument. Of bf16: itself for the dot, else all of a word's
/// bits. A thread of a device loads 16 bytes at once only as four words of 32 bits.
Type word_type(const KernelSpec& k) {
  if (on_device(k)) return k.ffn.dtype == DType::f32 ? Float(32) : UInt(32);
  switch (k.ffn.dtype) {
    case DType::f32:
      return Float(32);
    case DType::bf16:
      return uses_dot(k) ? Type(BFloat(16)) : UInt(16 * k.packing.pair);
    case DType::f16:
      return Float(16);
  }
  return Type();
}

/// Element type of x, residual and y as arguments. Halide's own bf16 loses NaNs when it rounds.
Type row_type(const KernelSpec& k) {
  switch (k.ffn.act()) {
    case DType::f32:
      return Float(32);
    case DType::bf16:
      return UInt(16);
    case DType::f16:
      return has_f16(k) ? Type(Float(16)) : Type(UInt(16));
  }
  return Type();
}

/// The f32 of an element of x, and back.
Expr widened(const KernelSpec& k, const Expr& element) {
  if (k.ffn.act() == DType::bf16) return f32_from_bf16_bits(element);
  return element.type() == UInt(16) ? f32_from_f16_bits(element) : cast<float>(element);
}

Expr narrowed(const KernelSpec& k, const Expr& value) {
  if (k.ffn.act() == DType::bf16) return bf16_bits(value);
  return row_type(k) == UInt(16) ? f16_bits(value) : cast(row_type(k), value);
}

/// Of the innermost dimension of a packed-weight argument.
int words_side_by_side(const KernelSpec& k) {
  if (on_device(k)) return k.packing.pair * info(k.ffn.dtype).bytes / 4;
  return uses_dot(k) ? k.packing.pair : 1;
}

/// The f32 of one of the two values of 16 bits in a word.
Expr half_of(const KernelSpec& k, const Expr& word, const Expr& upper) {
  if (k.ffn.dtype == DType::bf16)
    return reinterpret<float>(select(upper, word & Expr(0xffff0000u), word << 16));
  const Expr bits = cast<uint16_t>(select(upper, word >> 16, word & Expr(0xffffu)));
  return has_f16(k) ? cast<float>(reinterpret(Float(16), bits)) : f32_from_f16_bits(bits);
}

/// The weight at k in word kk, in the type of the sums.
Expr weight(const KernelSpec& k, const ImageParam& w, const Expr& kk, const Expr& ni,
            const Expr& kq, const Expr& panel) {
  if (uses_dot(k)) return cast<float>(w(kk, ni, kq, panel));
  if (on_device(k) && k.ffn.dtype == DType::f32) return w(kk, ni, kq, panel);
  if (on_device(k)) return half_of(k, w(kk / 2, ni, kq, panel), kk % 2 == 1);
  if (k.ffn.dtype != DType::bf16) return cast(sum_type(k), w(0, ni, kq, panel));
  const Expr word = w(0, ni, kq, panel);
  if (k.packing.pair == 1) return f32_from_bf16_bits(word);
  return reinterpret<float>(select(kk == 0, word << 16, word & Expr(0xffff0000u)));
}

/// Every `step`-th panel of a matrix.
ImageParam weight_stream(const KernelSpec& k, const std::string& name, int step,
                         const Expr& words) {
  ImageParam w(word_type(k), 4, name);
  const int inner = words_side_by_side(k), panel = k.packing.panel;
  w.dim(0).set_bounds(0, inner);
  w.dim(1).set_bounds(0, panel).set_stride(inner);
  w.dim(2).set_stride(inner * panel).set_min(0);
  w.dim(3).set_min(0);
  if (words.defined()) w.dim(2).set_extent(words);
  // From this Halide learns that every panel begins at a multiple of 16 bytes.
  if (on_device(k)) w.dim(3).set_stride(w.dim(2).extent() * (step * inner * panel));
  w.set_host_alignment(64);
  return w;
}

/// Words of one row of K values, as packed. Undefined K: the stream's own extent.
Expr packed_words(const KernelSpec& k, int64_t length) {
  if (length == Shape::kAny) return Expr();
  return Expr(int(packed_lines(k.packing, length) * k.packing.k_step));
}

/// An element of a projection's result: its column; and which column of which panel of which group,
/// and row of which tile, that is.
struct Place {
  std::vector<Var> arguments;  ///< of the stage that has it
  Expr n, ni, v, no, mi, mo;
};

/// Of a stage by columns and rows.
Place flat_place(const FfnStages& s, const Projection& p) {
  const int panel = s.kernel.packing.panel, mr = s.kernel.point.mr, wide = p.panels_per_matrix;
  return {{s.n, s.m},           s.n,      s.n % panel, (s.n / panel) % wide,
          s.n / (panel * wide), s.m % mr, s.m / mr};
}

/// Of a stage between the projections. On a device its loops are those of the projection's tiles:
/// of columns modulo panels Halide infers bounds that are too wide for one thread.
Place inner_place(const FfnStages& s, const Projection& p) {
  if (!on_device(s.kernel)) return flat_place(s, p);
  const Expr n = (s.no * p.panels_per_matrix + s.v) * s.kernel.packing.panel + s.ni;
  return {{s.ni, s.v, s.mi, s.mo, s.no}, n, s.ni, s.v, s.no, s.mi, s.mo};
}

Expr projected(const Projection& p, int first_stream, const Place& at) {
  const Expr v = first_stream + at.v;
  if (p.sum.defined()) return p.sum(at.ni, v, at.mi, at.mo, at.no);
  return cast<float>(p.part(at.ni, v, at.mi, at.mo, at.no, 0));
}

/// How k is parted: into blocks of so many lines, which divide every packed length of legal points
/// (0: not), or into so many blocks, of which the last may be short.
struct KBlocks {
  int lines = 0;
  int count = 1;

  bool one() const { return lines == 0 && count == 1; }
};

KBlocks first_blocks(const KernelSpec& k) { return {k.point.kb, k.point.ks}; }

/// With streamed fusion a block has the lines of a slice of d_ff.
KBlocks down_blocks(const KernelSpec& k) {
  if (on_device(k)) return {0, k.point.ks * std::max(1, k.point.slices)};
  if (k.point.fusion != Fusion::streamed) return {k.point.kb, 1};
  return {int(packed_lines(k.packing, k.ffn.shape.d_ff) / k.point.slices), 1};
}

/// Fills part, sum, k and blocks of a projection whose input and streams are given.
void define_product(FfnStages& s, Projection& p, const std::string& name, KBlocks parted) {
  const SchedulePoint& point = s.kernel.point;
  const int words_per_iteration = s.kernel.packing.k_step * point.unroll;
  const Expr iterations = p.streams[0].dim(2).extent() / words_per_iteration;
  const Expr block = parted.lines > 0   ? Expr(parted.lines / point.unroll)
                     : parted.count > 1 ? (iterations + (parted.count - 1)) / parted.count
                                        : iterations;
  p.k = RDom(0, s.kernel.packing.pair, 0, words_per_iteration, 0, block, name + "_k");
  Expr iteration = s.kv * block + p.k.z;
  if (parted.count > 1) {
    p.k.where(iteration < iterations);
    iteration = unsafe_promise_clamped(iteration, 0, iterations - 1);
  }
  const Expr word = iteration * words_per_iteration + p.k.y;
  Expr w;
  for (int v = int(p.streams.size()) - 1; v >= 0; --v) {
    const Expr value = weight(s.kernel, p.streams[v], p.k.x, s.ni, word, s.no);
    w = w.defined() ? select(s.v == v, value, w) : value;
  }
  p.part = Func(name + "_part");
  p.part(s.ni, s.v, s.mi, s.mo, s.no, s.kv) = cast(sum_type(s.kernel), 0);
  p.part(s.ni, s.v, s.mi, s.mo, s.no, s.kv) +=
      cast(sum_type(s.kernel), p.input(p.k.x, word, s.mi, s.mo)) * w;
  if (parted.one()) return;
  p.blocks = RDom(0, parted.lines > 0 ? iterations / block : Expr(parted.count), name + "_blocks");
  p.sum = Func(name + "_sum");
  p.sum(s.ni, s.v, s.mi, s.mo, s.no) = 0.0f;
  p.sum(s.ni, s.v, s.mi, s.mo, s.no) +=
      cast<float>(p.part(s.ni, s.v, s.mi, s.mo, s.no, p.blocks.x));
}

void add_streams(FfnStages& s, Projection& p, const std::string& name, int count,
                 const Expr& words) {
  for (int i = 0; i < count; ++i) {
    p.streams.push_back(weight_stream(s.kernel, name + "_" + std::to_string(i), count, words));
  }
}

/// Rows of the caller's: (column, row) in the type of activations.
ImageParam caller_rows(const KernelSpec& k, const std::string& name) {
  ImageParam rows(row_type(k), 2, name);
  rows.dim(0).set_min(0);
  rows.dim(1).set_min(0);
  if (k.ffn.shape.d_model != Shape::kAny) rows.dim(0).set_extent(int(k.ffn.shape.d_model));
  return rows;
}

void define_packed_input(FfnStages& s) {
  const int pair = s.kernel.packing.pair, mr = s.kernel.point.mr;
  s.x = caller_rows(s.kernel, "x");
  const Expr zero = cast(row_type(s.kernel), 0);
  const Func padded = BoundaryConditions::constant_exterior(
      s.x, zero, {{0, s.x.dim(0).extent()}, {0, s.x.dim(1).extent()}});
  const Expr value = padded(s.kq * pair + s.kk, s.mo * mr + s.mi);
  s.x_packed = Func("x_packed");
  s.x_packed(s.kk, s.kq, s.mi, s.mo) = uses_dot(s.kernel)      ? reinterpret(BFloat(16), value)
                                       : sums_in_f16(s.kernel) ? value
                                                               : widened(s.kernel, value);
}

/// h, and 0 in the padded columns: their weights are zero, but 0 * inf is NaN, which the down
/// projection would spread over the whole row.
Expr real_columns(const FfnStages& s, const Expr& n, const Expr& h) {
  const int64_t d_ff = s.kernel.ffn.shape.d_ff;
  if (d_ff == Shape::kAny) return select(n < s.d_ff, h, 0.0f);
  const Packing& p = s.kernel.packing;
  return packed_panels(p, d_ff) * p.panel == d_ff ? h : select(n < int(d_ff), h, 0.0f);
}

/// Halide 21 compiles for devices as if NaN never came, even what is strict: a clamp or a
/// comparison would lose it.
Expr with_nans(const FfnStages& s, const std::vector<Expr>& projections, Expr h) {
  if (!on_device(s.kernel)) return h;
  for (const Expr& value : projections) h = keep_nan(value, h);
  return h;
}

/// As the next projection stores and reads it: 16 bits where it multiplies those.
Expr stored_hidden(const FfnStages& s, const Expr& h) {
  if (sums_in_f16(s.kernel)) return cast<float16_t>(h);
  return uses_dot(s.kernel) ? reinterpret(BFloat(16), bf16_bits(h)) : h;
}

ImageParam bias(const std::string& name) {
  ImageParam b(Float(32), 1, name);
  b.dim(0).set_min(0);
  b.set_host_alignment(64);
  return b;
}

/// Gate (if any), up and activation; gate and up side by side unless the point keeps them apart.
void define_hidden(FfnStages& s) {
  const FfnSpec& ffn = s.kernel.ffn;
  const Expr words = packed_words(s.kernel, ffn.shape.d_model);
  std::vector<std::string> matrices =
      ffn.variant.gated ? std::vector<std::string>{"gate", "up"} : std::vector<std::string>{"up"};
  std::vector<Expr> values;
  Place at;
  const int streams = s.kernel.point.streams;
  if (s.unfused()) {
    for (const std::string& name : matrices) {
      Projection& p = s.first.emplace_back();
      p.input = s.x_packed;
      p.panels_per_matrix = streams;
      add_streams(s, p, name, streams, words);
      define_product(s, p, name, first_blocks(s.kernel));
      p.out = Func(name);
      at = inner_place(s, p);
      p.out(at.arguments) = projected(p, 0, at);
      values.push_back(p.out(at.arguments));
    }
  } else {
    Projection& p = s.first.emplace_back();
    p.input = s.x_packed;
    p.panels_per_matrix = streams / int(matrices.size());
    for (const std::string& name : matrices) add_streams(s, p, name, p.panels_per_matrix, words);
    define_product(s, p, "hidden", first_blocks(s.kernel));
    at = inner_place(s, p);
    for (size_t i = 0; i < matrices.size(); ++i) {
      values.push_back(projected(p, int(i) * p.panels_per_matrix, at));
    }
  }
  for (size_t i = 0; ffn.bias && i < matrices.size(); ++i) {
    s.biases.push_back(bias(matrices[i] + "_bias"));
    values[i] = values[i] + s.biases.back()(at.n);
  }
  s.hidden = Func("hidden");
  const Expr h = ffn.variant.gated ? gated_hidden(ffn.variant, values[0], values[1])
                                   : dense_hidden(ffn.variant, values[0]);
  s.hidden(at.arguments) = stored_hidden(s, real_columns(s, at.n, with_nans(s, values, h)));
  if (!s.unfused()) s.first[0].out = s.hidden;
}

/// Added where y is stored: that stage knows the edges, and reads an element of the residual right
/// before it writes the one of y in its place, so that both may be the same memory. Strict, so that
/// the rounding to y's type sees the NaN that a residual brings.
Expr with_residual(FfnStages& s, const Expr& y) {
  if (!s.kernel.ffn.residual) return y;
  s.residual = caller_rows(s.kernel, "residual");
  return strict_float(widened(s.kernel, s.residual(s.n, s.m)) + y);
}

/// The hidden value at k kk of word kq. A word never stands in two panels.
Expr hidden_at_word(const FfnStages& s) {
  const int pair = s.kernel.packing.pair, mr = s.kernel.point.mr;
  if (!on_device(s.kernel)) return s.hidden(s.kq * pair + s.kk, s.mo * mr + s.mi);
  const int words = s.kernel.packing.panel / pair, wide = s.first[0].panels_per_matrix;
  const Expr ni = (s.kq % words) * pair + s.kk, panel = s.kq / words;
  return s.hidden(ni, panel % wide, s.mi, s.mo, panel / wide);
}

void define_output(FfnStages& s) {
  Projection& p = s.down;
  p.panels_per_matrix = s.kernel.point.streams;
  add_streams(s, p, "down", s.kernel.point.streams,
              packed_words(s.kernel, s.kernel.ffn.shape.d_ff));
  p.input = Func("hidden_tiles");
  p.input(s.kk, s.kq, s.mi, s.mo) = hidden_at_word(s);
  define_product(s, p, "down", down_blocks(s.kernel));
  s.hidden_columns = p.streams[0].dim(2).extent() * s.kernel.packing.pair;
  Expr y = projected(p, 0, flat_place(s, p));
  if (s.kernel.ffn.bias) {
    s.biases.push_back(bias("down_bias"));
    y = y + s.biases.back()(s.n);
  }
  p.out = Func("y_tile");
  p.out(s.n, s.m) = y;
  s.y = Func("y");
  const Expr stored = with_residual(s, p.out(s.n, s.m));
  s.y(s.n, s.m) = narrowed(s.kernel, stored);
  const OutputImageParam out = s.y.output_buffer();
  out.dim(0).set_min(0);
  out.dim(1).set_min(0);
  if (s.kernel.ffn.shape.d_model != Shape::kAny)
    out.dim(0).set_extent(int(s.kernel.ffn.shape.d_model));
}

}  // namespace

FfnStages ffn_algorithm(const KernelSpec& kernel) {
  FfnStages stages;
  stages.kernel = kernel;
  define_packed_input(stages);
  define_hidden(stages);
  define_output(stages);
  return stages;
}

std::vector<ImageParam> kernel_inputs(const FfnStages& stages) {
  std::vector<ImageParam> inputs = {stages.x};
  const auto add = [&](const std::vector<ImageParam>& params) {
    inputs.insert(inputs.end(), params.begin(), params.end());
  };
  for (const Projection& p : stages.first) add(p.streams);
  add(stages.down.streams);
  add(stages.biases);
  if (stages.residual.defined()) inputs.push_back(stages.residual);
  return inputs;
}

std::vector<Argument> kernel_arguments(const FfnStages& stages) {
  const std::vector<ImageParam> inputs = kernel_inputs(stages);
  std::vector<Argument> arguments(inputs.begin(), inputs.end());
  // Before the residual, which is the last input.
  arguments.insert(arguments.end() - (stages.residual.defined() ? 1 : 0), stages.d_ff);
  return arguments;
}

}  // namespace gatefold
