#include "bench/ladder/autoscheduler.h"

#include <string>

namespace gatefold {
namespace {

using namespace Halide;

/// Of a matrix with so many columns, each a sum over `length` values.
void estimate_streams(const FfnStages& s, Projection& p, int64_t columns, int64_t length) {
  const Packing& packing = s.kernel.packing;
  const int64_t panels = packed_panels(packing, columns) / p.panels_per_matrix;
  const int64_t words = packed_lines(packing, length) * packing.k_step;
  const int in_word = uses_bf16_dot(s.kernel.ffn, s.kernel.target) ? packing.pair : 1;
  for (ImageParam& stream : p.streams) {
    stream.dim(0).set_estimate(0, in_word);
    stream.dim(1).set_estimate(0, packing.panel);
    stream.dim(2).set_estimate(0, int(words));
    stream.dim(3).set_estimate(0, int(panels));
  }
}

/// The sizes that the kernel is tuned for; the search needs one for every argument.
void estimate_sizes(FfnStages& s) {
  const Shape& shape = s.kernel.ffn.shape;
  const int rows = int(s.kernel.rows.tuned_rows), d_model = int(shape.d_model);
  s.x.set_estimates({{0, d_model}, {0, rows}});
  for (Projection& p : s.first) estimate_streams(s, p, shape.d_ff, shape.d_model);
  estimate_streams(s, s.down, shape.d_model, shape.d_ff);
  for (ImageParam& bias : s.biases) bias.set_estimates({{0, std::max(d_model, int(shape.d_ff))}});
  if (s.residual.defined()) s.residual.set_estimates({{0, d_model}, {0, rows}});
  s.d_ff.set_estimate(int(shape.d_ff));
  s.y.set_estimates({{0, d_model}, {0, rows}});
}

}  // namespace

/// One schedule is followed greedily: with the default beam of 32 the search had not ended after
/// ten minutes for a block of 256x704 (with 1 it takes three seconds).
void schedule_adams2019(FfnStages& s, int threads) {
  load_plugin(GATEFOLD_ADAMS2019_PLUGIN);
  estimate_sizes(s);
  const AutoschedulerParams parameters(
      "Adams2019", {{"parallelism", std::to_string(threads)}, {"beam_size", "1"}});
  Pipeline(s.y).apply_autoscheduler(halide_target(s.kernel), parameters);
}

}  // namespace gatefold
