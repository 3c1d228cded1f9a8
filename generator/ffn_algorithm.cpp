#include "generator/ffn_algorithm.h"

#include <functional>

#include "generator/activations.h"
#include "generator/numerics.h"

namespace gatefold {
namespace {

using namespace Halide;

/// The input of a projection at word kq, k in word kk, of row mi of tile mo.
using Input = std::function<Expr(Expr kk, Expr kq, Expr mi, Expr mo)>;

bool uses_dot(const KernelSpec& k) { return uses_bf16_dot(k.ffn, k.target); }

/// Element type of a packed-weight argument: bf16 for the dot, else a pair of them as one word.
Type word_type(const KernelSpec& k) {
  switch (k.ffn.dtype) {
    case DType::f32:
      return Float(32);
    case DType::bf16:
      return uses_dot(k) ? Type(BFloat(16)) : Type(UInt(32));
    case DType::f16:
      return Float(16);
  }
  return Type();
}

/// Element type of x, residual and y as arguments. Halide's own bf16 loses NaNs when it rounds.
Type row_type(DType act) {
  switch (act) {
    case DType::f32:
      return Float(32);
    case DType::bf16:
      return UInt(16);
    case DType::f16:
      return Float(16);
  }
  return Type();
}

/// The f32 of an element of x, and back.
Expr widened(DType act, const Expr& element) {
  return act == DType::bf16 ? f32_from_bf16_bits(element) : cast<float>(element);
}

Expr narrowed(DType act, const Expr& value) {
  return act == DType::bf16 ? bf16_bits(value) : cast(row_type(act), value);
}

int values_per_word(const KernelSpec& k) { return uses_dot(k) ? k.packing.pair : 1; }

/// The f32 weight at k in word kk.
Expr weight(const KernelSpec& k, const ImageParam& w, const Expr& kk, const Expr& ni,
            const Expr& kq, const Expr& panel) {
  if (uses_dot(k)) return cast<float>(w(kk, ni, kq, panel));
  if (k.ffn.dtype != DType::bf16) return cast<float>(w(0, ni, kq, panel));
  const Expr word = w(0, ni, kq, panel);
  return reinterpret<float>(select(kk == 0, word << 16, word & Expr(0xffff0000u)));
}

ImageParam weight_stream(const KernelSpec& k, const std::string& name, const Expr& words) {
  ImageParam w(word_type(k), 4, name);
  const int inner = values_per_word(k), panel = k.packing.panel;
  w.dim(0).set_bounds(0, inner);
  w.dim(1).set_bounds(0, panel).set_stride(inner);
  w.dim(2).set_stride(inner * panel).set_min(0);
  w.dim(3).set_min(0);
  if (words.defined()) w.dim(2).set_extent(words);
  w.set_host_alignment(64);
  return w;
}

/// Words of one row of K values, as packed. Undefined K: the stream's own extent.
Expr packed_words(const KernelSpec& k, int64_t length) {
  if (length == Shape::kAny) return Expr();
  return Expr(int(packed_lines(k.packing, length) * k.packing.k_step));
}

/// The column `n` of a projection's result: which panel group, which stream, which column.
Expr projected(const FfnStages& s, const Projection& p, int first_stream, const Expr& n,
               const Expr& m) {
  const int panel = s.kernel.packing.panel, mr = s.kernel.point.mr, wide = p.panels_per_matrix;
  const Expr ni = n % panel, v = first_stream + (n / panel) % wide, no = n / (panel * wide);
  const Expr mi = m % mr, mo = m / mr;
  return p.sum.defined() ? p.sum(ni, v, mi, mo, no) : p.part(ni, v, mi, mo, no, 0);
}

/// Lines of one k-block of the down projection: with streamed fusion, those of a slice of d_ff.
int down_block(const KernelSpec& k) {
  if (k.point.fusion != Fusion::streamed) return k.point.kb;
  return int(packed_lines(k.packing, k.ffn.shape.d_ff) / k.point.slices);
}

/// Fills part, sum, k and blocks of a projection whose streams are given. `lines` of one k-block,
/// 0: k is one block; legal points have them divide every packed length.
void define_product(FfnStages& s, Projection& p, const std::string& name, const Input& input,
                    int lines) {
  const SchedulePoint& point = s.kernel.point;
  const int words_per_iteration = s.kernel.packing.k_step * point.unroll;
  const Expr iterations = p.streams[0].dim(2).extent() / words_per_iteration;
  const bool blocked = lines > 0;
  const Expr block = blocked ? Expr(lines / point.unroll) : iterations;
  p.k = RDom(0, s.kernel.packing.pair, 0, words_per_iteration, 0, block, name + "_k");
  const Expr word = (s.kv * block + p.k.z) * words_per_iteration + p.k.y;
  Expr w;
  for (int v = int(p.streams.size()) - 1; v >= 0; --v) {
    const Expr value = weight(s.kernel, p.streams[v], p.k.x, s.ni, word, s.no);
    w = w.defined() ? select(s.v == v, value, w) : value;
  }
  p.part = Func(name + "_part");
  p.part(s.ni, s.v, s.mi, s.mo, s.no, s.kv) = 0.0f;
  p.part(s.ni, s.v, s.mi, s.mo, s.no, s.kv) += input(p.k.x, word, s.mi, s.mo) * w;
  if (!blocked) return;
  p.blocks = RDom(0, iterations / block, name + "_blocks");
  p.sum = Func(name + "_sum");
  p.sum(s.ni, s.v, s.mi, s.mo, s.no) = 0.0f;
  p.sum(s.ni, s.v, s.mi, s.mo, s.no) += p.part(s.ni, s.v, s.mi, s.mo, s.no, p.blocks.x);
}

void add_streams(FfnStages& s, Projection& p, const std::string& name, int count,
                 const Expr& words) {
  for (int i = 0; i < count; ++i) {
    p.streams.push_back(weight_stream(s.kernel, name + "_" + std::to_string(i), words));
  }
}

/// Rows of the caller's: (column, row) in the type of activations.
ImageParam caller_rows(const KernelSpec& k, const std::string& name) {
  ImageParam rows(row_type(k.ffn.act()), 2, name);
  rows.dim(0).set_min(0);
  rows.dim(1).set_min(0);
  if (k.ffn.shape.d_model != Shape::kAny) rows.dim(0).set_extent(int(k.ffn.shape.d_model));
  return rows;
}

void define_packed_input(FfnStages& s) {
  const DType act = s.kernel.ffn.act();
  const int pair = s.kernel.packing.pair, mr = s.kernel.point.mr;
  s.x = caller_rows(s.kernel, "x");
  const Expr zero = cast(row_type(act), 0);
  const Func padded = BoundaryConditions::constant_exterior(
      s.x, zero, {{0, s.x.dim(0).extent()}, {0, s.x.dim(1).extent()}});
  const Expr value = padded(s.kq * pair + s.kk, s.mo * mr + s.mi);
  s.x_packed = Func("x_packed");
  s.x_packed(s.kk, s.kq, s.mi, s.mo) =
      uses_dot(s.kernel) ? reinterpret(BFloat(16), value) : widened(act, value);
}

/// h, and 0 in the padded columns: their weights are zero, but 0 * inf is NaN, which the down
/// projection would spread over the whole row.
Expr real_columns(const FfnStages& s, const Expr& h) {
  const int64_t d_ff = s.kernel.ffn.shape.d_ff;
  if (d_ff == Shape::kAny) return select(s.n < s.d_ff, h, 0.0f);
  const Packing& p = s.kernel.packing;
  return packed_panels(p, d_ff) * p.panel == d_ff ? h : select(s.n < int(d_ff), h, 0.0f);
}

/// As the next projection stores and reads it: bf16 where its dot instruction needs that.
Expr stored_hidden(const FfnStages& s, const Expr& h) {
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
  const Input input = [&](Expr kk, Expr kq, Expr mi, Expr mo) {
    return cast<float>(s.x_packed(kk, kq, mi, mo));
  };
  std::vector<std::string> matrices =
      ffn.variant.gated ? std::vector<std::string>{"gate", "up"} : std::vector<std::string>{"up"};
  std::vector<Expr> values;
  const int streams = s.kernel.point.streams;
  if (s.unfused()) {
    for (const std::string& name : matrices) {
      Projection& p = s.first.emplace_back();
      p.panels_per_matrix = streams;
      add_streams(s, p, name, streams, words);
      define_product(s, p, name, input, s.kernel.point.kb);
      p.out = Func(name);
      p.out(s.n, s.m) = projected(s, p, 0, s.n, s.m);
      values.push_back(p.out(s.n, s.m));
    }
  } else {
    Projection& p = s.first.emplace_back();
    p.panels_per_matrix = streams / int(matrices.size());
    for (const std::string& name : matrices) add_streams(s, p, name, p.panels_per_matrix, words);
    define_product(s, p, "hidden", input, s.kernel.point.kb);
    for (size_t i = 0; i < matrices.size(); ++i) {
      values.push_back(projected(s, p, int(i) * p.panels_per_matrix, s.n, s.m));
    }
  }
  for (size_t i = 0; ffn.bias && i < matrices.size(); ++i) {
    s.biases.push_back(bias(matrices[i] + "_bias"));
    values[i] = values[i] + s.biases.back()(s.n);
  }
  s.hidden = Func("hidden");
  const Expr h = ffn.variant.gated ? gated_hidden(ffn.variant, values[0], values[1])
                                   : dense_hidden(ffn.variant, values[0]);
  s.hidden(s.n, s.m) = stored_hidden(s, real_columns(s, h));
  if (!s.unfused()) s.first[0].out = s.hidden;
}

/// Added where y is stored: that stage knows the edges, and reads an element of the residual right
/// before it writes the one of y in its place, so that both may be the same memory. Strict, so that
/// the rounding to y's type sees the NaN that a residual brings.
Expr with_residual(FfnStages& s, const Expr& y) {
  if (!s.kernel.ffn.residual) return y;
  s.residual = caller_rows(s.kernel, "residual");
  return strict_float(widened(s.kernel.ffn.act(), s.residual(s.n, s.m)) + y);
}

void define_output(FfnStages& s) {
  const int pair = s.kernel.packing.pair, mr = s.kernel.point.mr;
  Projection& p = s.down;
  p.panels_per_matrix = s.kernel.point.streams;
  add_streams(s, p, "down", s.kernel.point.streams,
              packed_words(s.kernel, s.kernel.ffn.shape.d_ff));
  define_product(
      s, p, "down",
      [&](Expr kk, Expr kq, Expr mi, Expr mo) {
        return cast<float>(s.hidden(kq * pair + kk, mo * mr + mi));
      },
      down_block(s.kernel));
  s.hidden_columns = p.streams[0].dim(2).extent() * pair;
  Expr y = projected(s, p, 0, s.n, s.m);
  if (s.kernel.ffn.bias) {
    s.biases.push_back(bias("down_bias"));
    y = y + s.biases.back()(s.n);
  }
  p.out = Func("y_tile");
  p.out(s.n, s.m) = y;
  s.y = Func("y");
  const Expr stored = with_residual(s, p.out(s.n, s.m));
  s.y(s.n, s.m) = narrowed(s.kernel.ffn.act(), stored);
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
