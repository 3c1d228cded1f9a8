#include "formats/ffn_tensors.h"

#include "formats/extent.h"
#include "formats/quote.h"
#include "spec/error.h"
#include "spec/names.h"

namespace gatefold {
namespace {

struct NamedOrder {
  std::string name;
  GateOrder order;
};

/// The tensors of one file, with the sizes that they must have.
class Finder {
 public:
  Finder(const Safetensors& file, std::string file_name, bool transposed)
      : file_(file), file_name_(std::move(file_name)), transposed_(transposed) {}

  const Tensor* matrix(const std::optional<std::string>& name) const {
    const Tensor* tensor = find(name);
    if (tensor && tensor->shape.size() != 2) fail_shape(*tensor, "a matrix");
    return tensor;
  }

  void check_matrix(const Tensor* tensor, int64_t out, int64_t in, const char* meaning) const {
    if (!tensor || (out_of(*tensor) == out && in_of(*tensor) == in)) return;
    std::string wanted = stored_text(out, in) + " (" + meaning + ")";
    if (out_of(*tensor) == in && in_of(*tensor) == out) {
      wanted += transposed_ ? "; that is its shape without --transposed"
                            : "; for weights stored [in, out] give --transposed";
    }
    fail_shape(*tensor, wanted);
  }

  const Tensor* vector(const std::optional<std::string>& name, int64_t size,
                       const char* meaning) const {
    const Tensor* tensor = find(name);
    const int64_t wanted[] = {size};
    if (tensor && (tensor->shape.size() != 1 || tensor->shape[0] != size)) {
      fail_shape(*tensor, shape_text(wanted) + " (" + meaning + ")");
    }
    return tensor;
  }

  int64_t out_of(const Tensor& t) const { return t.shape[transposed_ ? 1 : 0]; }
  int64_t in_of(const Tensor& t) const { return t.shape[transposed_ ? 0 : 1]; }

  [[noreturn]] void fail_shape(const Tensor& tensor, const std::string& wanted) const {
    fail(file_name_ + ": tensor " + quote(tensor.name) + ": shape " + shape_text(tensor.shape) +
         ", wanted " + wanted);
  }

 private:
  const Tensor* find(const std::optional<std::string>& name) const {
    return name ? &file_.tensor(*name) : nullptr;
  }
  std::string stored_text(int64_t out, int64_t in) const {
    const int64_t shape[] = {transposed_ ? in : out, transposed_ ? out : in};
    return shape_text(shape);
  }

  const Safetensors& file_;
  std::string file_name_;
  bool transposed_;
};

[[noreturn]] void fail_missing(const char* flag, const std::string& variant, const char* what) {
  fail_usage(std::string(flag) + ": missing, variant '" + variant + "' needs " + what);
}

void refuse(const std::optional<std::string>& value, const char* flag, const std::string& reason) {
  if (value) fail_usage(std::string(flag) + ": '" + *value + "', but " + reason);
}

void check_gated_names(const FfnTensorNames& n, const std::string& variant) {
  const char* const wanted = "--gate and --up, or --gate-up with --order";
  if (n.gate_up) {
    refuse(n.gate, "--gate", "--gate-up already holds the gate");
    refuse(n.up, "--up", "--gate-up already holds the up matrix");
  } else {
    if (!n.gate) fail_missing("--gate", variant, wanted);
    if (!n.up) fail_missing("--up", variant, wanted);
  }
  if (n.gate_up_bias) {
    refuse(n.gate_bias, "--gate-bias", "--gate-up-bias already holds it");
    refuse(n.up_bias, "--up-bias", "--gate-up-bias already holds it");
  }
  const bool fused = n.gate_up || n.gate_up_bias;
  if (fused && !n.order) {
    fail_usage("--order: missing for a fused tensor, wanted gate_first, up_first or interleaved");
  }
  if (!fused && n.order) fail_usage("--order: given, but no tensor is fused (--gate-up)");
}

void check_dense_names(const FfnTensorNames& n, const std::string& variant) {
  const std::string reason = "variant '" + variant + "' has no gate";
  refuse(n.gate, "--gate", reason);
  refuse(n.gate_up, "--gate-up", reason);
  refuse(n.gate_bias, "--gate-bias", reason);
  refuse(n.gate_up_bias, "--gate-up-bias", reason);
  if (n.order) fail_usage("--order: given, but " + reason);
  if (!n.up) fail_missing("--up", variant, "--up and --down");
}

int64_t checked_size(const Finder& finder, const Tensor& tensor, int64_t size, const char* what) {
  if (size >= 1 && size <= kMaxDimension) return size;
  finder.fail_shape(tensor,
                    std::string("a ") + what + " from 1 to " + std::to_string(kMaxDimension));
}

void check_fused(const Finder& finder, const Tensor* gate_up, int64_t d_ff, int64_t d_model) {
  if (!gate_up) return;
  if (finder.out_of(*gate_up) % 2 != 0) {
    finder.fail_shape(*gate_up,
                      "an even number of outputs, 2 * d_ff = " + std::to_string(2 * d_ff));
  }
  finder.check_matrix(gate_up, 2 * d_ff, d_model, "2 * d_ff, d_model");
}

}  // namespace

GateOrder gate_order_named(std::string_view name) {
  static const std::vector<NamedOrder> orders = {{"gate_first", GateOrder::gate_first},
                                                 {"up_first", GateOrder::up_first},
                                                 {"interleaved", GateOrder::interleaved}};
  return find_named(orders, name, "order").order;
}

void check_tensor_names(const FfnTensorNames& n, const FfnSpec& ffn) {
  if (ffn.variant.gated) {
    check_gated_names(n, ffn.variant.name);
  } else {
    check_dense_names(n, ffn.variant.name);
  }
  if (!n.down) fail_missing("--down", ffn.variant.name, "it");
  if (ffn.bias) return;
  const char* const reason = "the library was generated without --bias";
  refuse(n.gate_bias, "--gate-bias", reason);
  refuse(n.up_bias, "--up-bias", reason);
  refuse(n.gate_up_bias, "--gate-up-bias", reason);
  refuse(n.down_bias, "--down-bias", reason);
}

FfnTensors find_ffn_tensors(const Safetensors& file, const std::string& file_name,
                            const FfnTensorNames& n, const FfnSpec& ffn) {
  check_tensor_names(n, ffn);
  const Finder finder(file, file_name, n.transposed);
  FfnTensors t;
  t.gate = finder.matrix(n.gate);
  t.up = finder.matrix(n.up);
  t.gate_up = finder.matrix(n.gate_up);
  t.down = finder.matrix(n.down);
  const Shape& fixed = ffn.shape;
  t.d_model = fixed.d_model == Shape::kAny
                  ? checked_size(finder, *t.down, finder.out_of(*t.down), "d_model")
                  : fixed.d_model;
  t.d_ff = fixed.d_ff == Shape::kAny ? checked_size(finder, *t.down, finder.in_of(*t.down), "d_ff")
                                     : fixed.d_ff;
  finder.check_matrix(t.gate, t.d_ff, t.d_model, "d_ff, d_model");
  finder.check_matrix(t.up, t.d_ff, t.d_model, "d_ff, d_model");
  check_fused(finder, t.gate_up, t.d_ff, t.d_model);
  finder.check_matrix(t.down, t.d_model, t.d_ff, "d_model, d_ff");
  t.gate_bias = finder.vector(n.gate_bias, t.d_ff, "d_ff");
  t.up_bias = finder.vector(n.up_bias, t.d_ff, "d_ff");
  t.gate_up_bias = finder.vector(n.gate_up_bias, 2 * t.d_ff, "2 * d_ff");
  t.down_bias = finder.vector(n.down_bias, t.d_model, "d_model");
  return t;
}

}  // namespace gatefold
