#include "generator/activations.h"

#include "generator/numerics.h"

namespace gatefold {
namespace {

using namespace Halide;

Expr clipped_at_zero(const Expr& z) { return select(z < 0.0f, 0.0f, z); }

/// z * weight, where a weight of zero wins over an infinite z.
Expr weighted(const Expr& z, const Expr& weight) {
  return select(weight == 0.0f, 0.0f, z) * weight;
}

Expr swish(const Expr& z, float alpha) {
  // Where z is infinite 0 * z is no number, but the weight is one half all the same.
  return alpha == 0 ? z * 0.5f : weighted(z, sigmoid_f32(alpha * z));
}

Expr gelu_tanh(const Expr& z) {
  // 0.5 (1 + tanh u) = sigmoid(2u), which keeps its relative accuracy in the negative tail.
  // Beyond |z| = 1e4 the cube would overflow, and the sigmoid has long been exactly 0 or 1.
  const Expr c = select(z > 1e4f, 1e4f, z < -1e4f, -1e4f, z);
  const Expr u = 1.59576912f * (c + 0.044715f * (c * c * c));
  return weighted(z, sigmoid_f32(u));
}

}  // namespace

Expr activate(const Variant& variant, const Expr& z) {
  switch (variant.activation) {
    case Activation::identity:
      return z;
    case Activation::sigmoid:
      return sigmoid_f32(z);
    case Activation::relu:
      return strict_float(clipped_at_zero(z));
    case Activation::leaky_relu:
      return strict_float(select(z < 0.0f, z * variant.slope, z));
    case Activation::relu2:
      return strict_float(clipped_at_zero(z) * clipped_at_zero(z));
    case Activation::gelu:
      return strict_float(weighted(z, normal_cdf_f32(z)));
    case Activation::gelu_tanh:
      return strict_float(gelu_tanh(z));
    case Activation::swish:
      return strict_float(swish(z, variant.alpha));
  }
  return Expr();
}

Expr dense_hidden(const Variant& variant, const Expr& up) { return activate(variant, up); }

Expr gated_hidden(const Variant& variant, const Expr& gate, const Expr& up) {
  Expr g = gate, u = up;
  if (variant.limit > 0) {
    const float limit = variant.limit;
    g = select(g > limit, limit, g);
    u = select(u > limit, limit, u < -limit, -limit, u);
  }
  if (variant.up_offset != 0) u = u + variant.up_offset;
  return strict_float(activate(variant, g) * u);
}

}  // namespace gatefold
