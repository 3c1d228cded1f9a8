// oneDNN, fused as far as its CPU primitives go: up, then gate with the activation and the product
// as post-ops, then down. Weights are reordered into the layout that each row count asks for.
// build: -I$PREFIX/include -L$PREFIX/lib -Wl,-rpath,$PREFIX/lib -ldnnl -fopenmp
#include <dnnl.hpp>
#include <map>
#include <optional>

#include "bench/peers/peer.h"

namespace {

using dnnl::algorithm;
using dnnl::memory;
using Tag = memory::format_tag;

memory::data_type type_of(const std::string& dtype) {
  if (dtype == "f32") return memory::data_type::f32;
  return dtype == "bf16" ? memory::data_type::bf16 : memory::data_type::f16;
}

void append_activation(dnnl::post_ops& ops, const peer::Block& block) {
  const std::string name = block.plain_activation();
  const std::map<std::string, std::pair<algorithm, float>> known = {
      {"sigmoid", {algorithm::eltwise_logistic, 0}},
      {"relu", {algorithm::eltwise_relu, 0}},
      {"leaky_relu", {algorithm::eltwise_relu, block.slope}},
      {"relu2", {algorithm::eltwise_relu, 0}},
      {"gelu", {algorithm::eltwise_gelu_erf, 0}},
      {"gelu_tanh", {algorithm::eltwise_gelu_tanh, 0}},
      {"silu", {algorithm::eltwise_swish, 1}},
      {"quick_gelu", {algorithm::eltwise_swish, block.alpha}}};
  if (name == "identity") return;
  ops.append_eltwise(known.at(name).first, known.at(name).second, 0);
  if (name == "relu2") ops.append_eltwise(algorithm::eltwise_square, 0, 0);
}

/// y = x W^T (+ bias), with post-ops, for one row count.
class Product {
 public:
  using Pd = dnnl::matmul::primitive_desc;

  Product(const dnnl::engine& engine, const peer::Tensor& weights, const peer::Tensor& bias,
          memory::data_type type, int64_t rows, const dnnl::post_ops& ops)
      : weights_(weights), type_(type), engine_(engine) {
    dnnl::primitive_attr attributes;
    attributes.set_post_ops(ops);
    const memory::desc x({rows, weights.cols}, type, Tag::ab),
        y({rows, weights.rows}, type, Tag::ab);
    const memory::desc w({weights.cols, weights.rows}, type, Tag::any);
    if (bias.data) {
      const memory::desc b({1, weights.rows}, type, Tag::ab);
      pd_ = Pd(engine, x, w, b, y, attributes);
      bias_.emplace(b, engine, const_cast<uint8_t*>(bias.data));
    } else {
      pd_ = Pd(engine, x, w, y, attributes);
    }
    matmul_ = dnnl::matmul(pd_);
  }

  const Pd& pd() const { return pd_; }

  /// `packed` in the layout that this product wants; repacked from the original if it has another.
  void pack(std::optional<memory>& packed, dnnl::stream& stream) const {
    if (packed && packed->get_desc() == pd_.weights_desc()) return;
    const memory original({{weights_.cols, weights_.rows}, type_, Tag::ba}, engine_,
                          const_cast<uint8_t*>(weights_.data));
    packed.reset();
    packed.emplace(pd_.weights_desc(), engine_);
    dnnl::reorder(original, *packed).execute(stream, const_cast<memory&>(original), *packed);
    stream.wait();
  }

  void run(dnnl::stream& stream, const memory& x, const memory& weights, const memory& y,
           const memory* factor = nullptr) const {
    std::unordered_map<int, memory> arguments = {
        {DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, y}};
    if (bias_) arguments.emplace(DNNL_ARG_BIAS, *bias_);
    if (factor) {
      const int last = pd_.get_primitive_attr().get_post_ops().len() - 1;
      arguments.emplace(DNNL_ARG_ATTR_MULTIPLE_POST_OP(last) | DNNL_ARG_SRC_1, *factor);
    }
    matmul_.execute(stream, arguments);
  }

 private:
  peer::Tensor weights_;
  memory::data_type type_;
  dnnl::engine engine_;
  Pd pd_;
  dnnl::matmul matmul_;
  std::optional<memory> bias_;
};

/// The products of one row count, and what lies between them.
struct Pipeline {
  Pipeline(const dnnl::engine& engine, const peer::Block& b, memory::data_type type, int64_t rows)
      : x({{rows, b.d_model}, type, Tag::ab}, engine, const_cast<uint8_t*>(b.x)),
        y({{rows, b.d_model}, type, Tag::ab}, engine, b.y),
        lifted({{rows, b.d_ff}, type, Tag::ab}, engine),
        hidden({{rows, b.d_ff}, type, Tag::ab}, engine) {
    dnnl::post_ops activated;
    append_activation(activated, b);
    up.emplace(engine, b.up, b.up_bias, type, rows, b.gated ? dnnl::post_ops() : activated);
    if (b.gated) {
      activated.append_binary(algorithm::binary_mul, lifted.get_desc());
      gate.emplace(engine, b.gate, b.gate_bias, type, rows, activated);
    }
    down.emplace(engine, b.down, b.down_bias, type, rows, dnnl::post_ops());
  }

  memory x, y, lifted, hidden;
  std::optional<Product> up, gate, down;
};

struct Copy {
  std::optional<memory> up, gate, down;
};

class OneDnn : public peer::Peer {
 public:
  explicit OneDnn(const peer::Block& block) : block_(block), type_(type_of(block.dtype)) {
    try {
      start(block.rows.front());
    } catch (const dnnl::error& error) {
      throw peer::Declined("no matmul in " + block.dtype +
                           " with these post-ops on this CPU: " + error.what());
    }
  }

  size_t add_copy() override {
    copies_.emplace_back();
    pack(copies_.back());
    size_t bytes = 0;
    for (const auto* m : {&copies_.back().up, &copies_.back().gate, &copies_.back().down}) {
      if (*m) bytes += (*m)->get_desc().get_size();
    }
    return bytes;
  }

  void prepare(int64_t rows, const std::vector<size_t>& copies) override {
    if (rows != rows_) start(rows);
    for (const size_t copy : copies) pack(copies_.at(copy));
  }

  void call(size_t index) override {
    const Copy& copy = copies_[index];
    Pipeline& p = *pipeline_;
    p.up->run(stream_, p.x, *copy.up, p.gate ? p.lifted : p.hidden);
    if (p.gate) p.gate->run(stream_, p.x, *copy.gate, p.hidden, &p.lifted);
    p.down->run(stream_, p.hidden, *copy.down, p.y);
    stream_.wait();
  }

  std::string uses() const override {
    const dnnl_version_t& v = *dnnl_version();
    return "oneDNN " + std::to_string(v.major) + "." + std::to_string(v.minor) + "." +
           std::to_string(v.patch) + " matmul with post-ops, " +
           pipeline_->up->pd().impl_info_str();
  }

 private:
  void start(int64_t rows) {
    pipeline_.emplace(engine_, block_, type_, rows);
    rows_ = rows;
  }

  void pack(Copy& copy) {
    pipeline_->up->pack(copy.up, stream_);
    if (pipeline_->gate) pipeline_->gate->pack(copy.gate, stream_);
    pipeline_->down->pack(copy.down, stream_);
  }

  const peer::Block& block_;
  memory::data_type type_;
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  int64_t rows_ = 0;
  std::optional<Pipeline> pipeline_;
  std::vector<Copy> copies_;
};

}  // namespace

int main() {
  return peer::serve([](const peer::Block& block) { return std::make_unique<OneDnn>(block); });
}
