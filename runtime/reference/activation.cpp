#include "runtime/reference/activation.h"

#include <algorithm>
#include <cmath>

namespace gatefold {
namespace {

double sigmoid(double z) {
  // exp of the negative side only: it never overflows, and keeps its digits for large -z.
  const double e = std::exp(-std::fabs(z));
  return z >= 0 ? 1 / (1 + e) : e / (1 + e);
}

/// z * weight, where a weight of zero wins over an infinite z.
double weighted(double z, double weight) {
  return weight == 0 ? std::copysign(0.0, z) : z * weight;
}

double swish(double z, double alpha) { return weighted(z, alpha == 0 ? 0.5 : sigmoid(alpha * z)); }

double gelu(double z) { return weighted(z, 0.5 * std::erfc(-z * std::sqrt(0.5))); }

/// 0.5 z (1 + tanh(u)) = z sigmoid(2u), which keeps the digits of the negative tail.
double gelu_tanh(double z) {
  const double u = std::sqrt(2 / M_PI) * z * (1 + 0.044715 * z * z);
  return weighted(z, sigmoid(2 * u));
}

double relu(double z) { return z > 0 || std::isnan(z) ? z : 0.0; }

// std::min and std::clamp would lose or keep a NaN by the order of their arguments.
double at_most(double z, double limit) { return z > limit ? limit : z; }
double within(double z, double limit) { return z < -limit ? -limit : at_most(z, limit); }

}  // namespace

double reference_activation(const Variant& v, double z) {
  if (std::isnan(z)) return z;
  switch (v.activation) {
    case Activation::identity:
      return z;
    case Activation::sigmoid:
      return sigmoid(z);
    case Activation::relu:
      return relu(z);
    case Activation::leaky_relu:
      return z > 0 ? z : double{v.slope} * z;
    case Activation::relu2:
      return relu(z) * relu(z);
    case Activation::gelu:
      return gelu(z);
    case Activation::gelu_tanh:
      return gelu_tanh(z);
    case Activation::swish:
      return swish(z, double{v.alpha});
  }
  return z;
}

double activation_slope(const Variant& v, double z) {
  switch (v.activation) {
    case Activation::identity:
      return 1;
    case Activation::sigmoid:
      return 0.25;
    case Activation::relu:
      return 1;
    case Activation::leaky_relu:
      return std::max(1.0, std::fabs(double{v.slope}));
    case Activation::relu2:
      return 2 * std::fabs(z);
    case Activation::gelu:
      return 1.13;
    case Activation::gelu_tanh:
      return 1.13;
    case Activation::swish:
      return 1.1;  // whatever alpha: it only stretches the axis
  }
  return 1;
}

double reference_hidden(const Variant& v, double gate, double up) {
  if (!v.gated) return reference_activation(v, up);
  if (v.limit > 0) {
    gate = at_most(gate, double{v.limit});
    up = within(up, double{v.limit});
  }
  return reference_activation(v, gate) * (up + double{v.up_offset});
}

}  // namespace gatefold
