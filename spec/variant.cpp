#include "spec/variant.h"

#include <cmath>

#include "spec/error.h"
#include "spec/names.h"

namespace gatefold {
namespace {

Variant dense(std::string name, Activation act, float alpha = 1.0f) {
  return {.name = std::move(name), .activation = act, .gated = false, .alpha = alpha};
}

Variant gated(std::string name, Activation act) {
  return {.name = std::move(name), .activation = act, .gated = true};
}

/// gpt-oss: min(g, L) sigmoid(alpha min(g, L)) (clamp(u, -L, L) + 1), alpha 1.702, L 7.
Variant swiglu_oai() {
  return {.name = "swiglu_oai",
          .activation = Activation::swish,
          .gated = true,
          .alpha = 1.702f,
          .limit = 7.0f,
          .up_offset = 1.0f};
}

std::string activation_formula(const Variant& v) {
  const auto alpha = [&] { return v.alpha == 1.0f ? std::string() : shortest(v.alpha) + "*"; };
  switch (v.activation) {
    case Activation::identity:
      return "z";
    case Activation::sigmoid:
      return "sigmoid(z)";
    case Activation::relu:
      return "max(0, z)";
    case Activation::leaky_relu:
      return "z > 0 ? z : " + shortest(v.slope) + "*z";
    case Activation::relu2:
      return "max(0, z)^2";
    case Activation::gelu:
      return "z*Phi(z)";
    case Activation::gelu_tanh:
      return "0.5*z*(1 + tanh(sqrt(2/pi)*(z + 0.044715*z^3)))";
    case Activation::swish:
      return "z*sigmoid(" + alpha() + "z)";
  }
  return {};
}

void override_parameter(float& value, const float* wanted, bool exists, const Variant& v,
                        const char* flag) {
  if (!wanted) return;
  if (!exists) fail_usage(std::string(flag) + ": variant '" + v.name + "' has no such parameter");
  if (!std::isfinite(*wanted)) {
    fail_usage(std::string(flag) + ": " + std::to_string(*wanted) + ", wanted a finite number");
  }
  value = *wanted;
}

}  // namespace

std::string Variant::formula() const {
  const std::string act = "act(z) = " + activation_formula(*this);
  if (!gated) return "h = act(up), " + act;
  const std::string l = shortest(limit);
  const std::string g = limit > 0 ? "min(gate, " + l + ")" : "gate";
  std::string u = limit > 0 ? "clamp(up, -" + l + ", " + l + ")" : "up";
  if (up_offset != 0) u = "(" + u + " + " + shortest(up_offset) + ")";
  return "h = act(" + g + ")*" + u + ", " + act;
}

const std::vector<Variant>& all_variants() {
  static const std::vector<Variant> variants = {
      dense("relu", Activation::relu),           dense("leaky_relu", Activation::leaky_relu),
      dense("relu2", Activation::relu2),         dense("gelu", Activation::gelu),
      dense("gelu_tanh", Activation::gelu_tanh), dense("quick_gelu", Activation::swish, 1.702f),
      dense("silu", Activation::swish),          gated("glu", Activation::sigmoid),
      gated("bilinear", Activation::identity),   gated("reglu", Activation::relu),
      gated("geglu", Activation::gelu),          gated("geglu_tanh", Activation::gelu_tanh),
      gated("swiglu", Activation::swish),        swiglu_oai(),
  };
  return variants;
}

const Variant& variant_named(std::string_view name) {
  return find_named(all_variants(), name, "variant");
}

Variant with_parameters(Variant v, const VariantParameters& p) {
  override_parameter(v.slope, p.slope, v.activation == Activation::leaky_relu, v, "--slope");
  override_parameter(v.alpha, p.alpha, v.activation == Activation::swish, v, "--alpha");
  override_parameter(v.limit, p.limit, v.gated, v, "--limit");
  override_parameter(v.up_offset, p.up_offset, v.gated, v, "--up-offset");
  if (v.limit < 0) fail_usage("--limit: " + shortest(v.limit) + ", wanted 0 (none) or more");
  return v;
}

}  // namespace gatefold
