#include <algorithm>
#include <cmath>
#include <limits>

#include "accuracy/known_values.h"
#include "spec/names.h"

namespace gatefold {
namespace {

/// Where the hidden unit stands, and the output that reads it and nothing else.
struct Place {
  int64_t size;  ///< d_model and d_ff
  int64_t unit, output;
};

/// Alone; in a vector of 4, 8 or 16; in the tail of such vectors.
constexpr Place kPlaces[] = {{1, 0, 0}, {37, 3, 5}, {37, 36, 35}};

/// The weights and the input that give one known value: x is 1 in its first column.
class KnownBlock {
 public:
  KnownBlock(const FfnSpec& ffn, const KnownValue& value, const Place& place)
      : ffn_(ffn), place_(place), x_(static_cast<size_t>(place.size), 0.0f) {
    const bool by_bias = !std::isfinite(value.gate) || !std::isfinite(value.up);
    x_[0] = by_bias ? 0 : 1;
    (by_bias ? gate_bias_ : gate_)[unit(by_bias)] = value.gate;
    (by_bias ? up_bias_ : up_)[unit(by_bias)] = value.up;
    down_[static_cast<size_t>(place.output * place.size + place.unit)] = 1;
  }

  gf_ffn_weights weights() const {
    gf_ffn_weights w = {};
    w.struct_size = sizeof w;
    w.up = matrix(up_);
    w.down = matrix(down_);
    if (ffn_.variant.gated) w.gate = matrix(gate_);
    if (!ffn_.bias) return w;
    w.up_bias = vector(up_bias_);
    if (ffn_.variant.gated) w.gate_bias = vector(gate_bias_);
    return w;
  }

  /// The output of each of `rows` equal rows, or why there is none.
  std::vector<float> run(gf_ffn* block, int64_t rows) const {
    std::vector<float> x, y(static_cast<size_t>(rows * place_.size)), residual(y.size(), 0);
    for (int64_t r = 0; r < rows; ++r) x.insert(x.end(), x_.begin(), x_.end());
    const auto dense = [&](std::vector<float>& v) {
      return dense_rows(v.data(), DType::f32, rows, place_.size);
    };
    const gf_rows in = dense(x), added = dense(residual), out = dense(y);
    require_ok(ffn_.residual ? gf_ffn_run_residual(block, &in, &added, &out)
                             : gf_ffn_run(block, &in, &out),
               "known values");
    std::vector<float> found;
    for (int64_t r = 0; r < rows; ++r)
      found.push_back(y[static_cast<size_t>(r * place_.size + place_.output)]);
    return found;
  }

 private:
  size_t unit(bool of_vector) const {
    return static_cast<size_t>(of_vector ? place_.unit : place_.unit * place_.size);
  }
  gf_tensor tensor(const std::vector<float>& v, int64_t cols) const {
    return {.data = v.data(),
            .rows = place_.size,
            .cols = cols,
            .row_stride = 0,
            .dtype = GF_F32,
            .transposed = 0};
  }
  gf_tensor matrix(const std::vector<float>& v) const { return tensor(v, place_.size); }
  gf_tensor vector(const std::vector<float>& v) const { return tensor(v, 1); }

  FfnSpec ffn_;
  Place place_;
  std::vector<float> x_;
  std::vector<float> gate_ = std::vector<float>(static_cast<size_t>(place_.size * place_.size)),
                     up_ = gate_, down_ = gate_;
  std::vector<float> gate_bias_ = std::vector<float>(static_cast<size_t>(place_.size)),
                     up_bias_ = gate_bias_;
};

/// Relative to what is due; 0 where it is just that, infinite where one is finite alone.
double error_of(float found, double due) {
  const auto exact = static_cast<float>(due);
  if (found == exact) return 0;
  if (!std::isfinite(found) || !std::isfinite(exact) || due == 0)
    return std::numeric_limits<double>::infinity();
  return std::fabs(found - due) / std::fabs(due);
}

AccuracyCell cell_of(const std::vector<float>& found, const KnownValue& value) {
  const float worst = *std::max_element(found.begin(), found.end(), [&](float a, float b) {
    return error_of(a, value.hidden) < error_of(b, value.hidden);
  });
  AccuracyCell cell;
  cell.values = "known";
  cell.tolerance = value.tolerance;
  cell.rel_l2 = cell.scaled = error_of(worst, value.hidden);
  cell.max_abs = cell.rel_l2 == 0 ? 0 : std::fabs(worst - value.hidden);
  cell.ok = cell.rel_l2 <= value.tolerance;
  if (!cell.ok) {
    cell.note = "gate " + shortest(value.gate) + ", up " + shortest(value.up) + " gave " +
                shortest(worst) + ", wanted " + shortest(static_cast<float>(value.hidden));
  }
  return cell;
}

}  // namespace

std::vector<AccuracyCell> check_known_values(const LoadedLibrary& library,
                                             const std::string& target) {
  FfnSpec ffn = library.ffn();
  const bool any = ffn.shape.d_model == Shape::kAny && ffn.shape.d_ff == Shape::kAny;
  if (!any || ffn.dtype != DType::f32) return {};
  std::vector<AccuracyCell> cells;
  for (const KnownValue& value : known_values(ffn.variant)) {
    if (!ffn.bias && !(std::isfinite(value.gate) && std::isfinite(value.up))) continue;
    for (const Place& place : kPlaces) {
      ffn.shape = {place.size, place.size};
      const KnownBlock known(ffn, value, place);
      const Block block = library.create(ffn.shape, known.weights(), 1, target);
      for (const gf_kernel* kernel : library.kernels(target)) {
        AccuracyCell cell = cell_of(known.run(block.get(), kernel->rows_min), value);
        cell.kernel = report_of(block.get()).kernel;
        cell.target = target;
        cell.shape = ffn.shape;
        cell.rows = kernel->rows_min;
        cells.push_back(std::move(cell));
      }
    }
  }
  return cells;
}

}  // namespace gatefold
