#include "bench/file_weights.h"

namespace gatefold {
namespace {

gf_dtype dtype_of(TensorType type) {
  switch (type) {
    case TensorType::f32:
      return GF_F32;
    case TensorType::bf16:
      return GF_BF16;
    case TensorType::f16:
      return GF_F16;
  }
  return GF_F32;
}

gf_gate_order order_of(const std::optional<GateOrder>& order) {
  if (!order) return GF_ORDER_NONE;
  switch (*order) {
    case GateOrder::gate_first:
      return GF_GATE_FIRST;
    case GateOrder::up_first:
      return GF_UP_FIRST;
    case GateOrder::interleaved:
      return GF_INTERLEAVED;
  }
  return GF_ORDER_NONE;
}

gf_tensor tensor_of(const Tensor* tensor, bool transposed) {
  if (!tensor) return {};
  return {.data = tensor->data.data(),
          .rows = tensor->shape[0],
          .cols = tensor->shape.size() == 2 ? tensor->shape[1] : 1,
          .row_stride = 0,
          .dtype = dtype_of(tensor->type),
          .transposed = transposed && tensor->shape.size() == 2};
}

}  // namespace

gf_ffn_weights file_weights(const FfnTensors& t, const FfnTensorNames& names) {
  const auto of = [&](const Tensor* tensor) { return tensor_of(tensor, names.transposed); };
  return {.struct_size = sizeof(gf_ffn_weights),
          .order = order_of(names.order),
          .gate = of(t.gate),
          .up = of(t.up),
          .gate_up = of(t.gate_up),
          .down = of(t.down),
          .gate_bias = of(t.gate_bias),
          .up_bias = of(t.up_bias),
          .gate_up_bias = of(t.gate_up_bias),
          .down_bias = of(t.down_bias)};
}

}  // namespace gatefold
