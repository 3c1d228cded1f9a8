#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gatefold {

/// Elementwise function applied to the gate (gated blocks) or to the up projection (dense blocks).
enum class Activation {
  identity,
  sigmoid,
  relu,        ///< max(0, x)
  leaky_relu,  ///< x > 0 ? x : slope * x
  relu2,       ///< max(0, x)^2
  gelu,        ///< x * Phi(x), exact erf form
  gelu_tanh,   ///< 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
  swish,       ///< x * sigmoid(alpha x): silu (alpha 1), quick_gelu (alpha 1.702)
};

/// One feed-forward block. With h the hidden layer:
///   dense: h = act(up);  gated: h = act(min(gate, limit)) * (clamp(up, -limit, limit) + up_offset)
/// where gate = W_gate x + b_gate, up = W_up x + b_up and y = W_down h + b_down.
struct Variant {
  std::string name;
  Activation activation = Activation::identity;
  bool gated = false;
  float slope = 0.01f;     ///< leaky_relu only
  float alpha = 1.0f;      ///< swish only
  float limit = 0.0f;      ///< 0: no clamp
  float up_offset = 0.0f;  ///< gated only

  int matrices() const { return gated ? 3 : 2; }
  std::string formula() const;
};

/// Parameters a user may override; a value for a parameter the variant does not have is an error.
struct VariantParameters {
  const float* slope = nullptr;
  const float* alpha = nullptr;
  const float* limit = nullptr;
  const float* up_offset = nullptr;
};

const std::vector<Variant>& all_variants();

/// Throws a usage error with the nearest name when there is no such variant.
const Variant& variant_named(std::string_view name);

/// The variant with its parameters replaced; throws when it has no such parameter.
Variant with_parameters(Variant variant, const VariantParameters& parameters);

}  // namespace gatefold
