#include "bench/peer_request.h"

namespace gatefold {
namespace {

using nlohmann::json;

std::string activation_name(Activation activation) {
  switch (activation) {
    case Activation::identity:
      return "identity";
    case Activation::sigmoid:
      return "sigmoid";
    case Activation::relu:
      return "relu";
    case Activation::leaky_relu:
      return "leaky_relu";
    case Activation::relu2:
      return "relu2";
    case Activation::gelu:
      return "gelu";
    case Activation::gelu_tanh:
      return "gelu_tanh";
    case Activation::swish:
      return "swish";
  }
  return {};
}

json tensors_json(const PeerWeights& weights) {
  json tensors = json::object();
  for (const PeerWeights::Place& place : weights.places()) {
    tensors[place.name] = {{"offset", place.offset}, {"shape", place.shape}};
  }
  return tensors;
}

}  // namespace

json load_request(const Contest& contest, const std::string& x, const std::string& y) {
  const FfnSpec& ffn = contest.ffn;
  const Variant& v = ffn.variant;
  return {{"do", "load"},
          {"variant", v.name},
          {"activation", activation_name(v.activation)},
          {"gated", v.gated},
          {"slope", v.slope},
          {"alpha", v.alpha},
          {"limit", v.limit},
          {"up_offset", v.up_offset},
          {"bias", ffn.bias},
          {"dtype", info(ffn.dtype).name},
          {"d_model", ffn.shape.d_model},
          {"d_ff", ffn.shape.d_ff},
          {"threads", contest.threads},
          {"rows", contest.rows},
          {"weights", contest.peer_weights->path()},
          {"tensors", tensors_json(*contest.peer_weights)},
          {"x", x},
          {"y", y}};
}

}  // namespace gatefold
