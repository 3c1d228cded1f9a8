#include "bench/peer_weights.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace gatefold {
namespace {

constexpr size_t kAlignment = 64;

using Named = std::pair<const char*, gf_tensor>;

/// The tensors that the block has.
std::vector<Named> tensors_of(const gf_ffn_weights& w) {
  const Named all[] = {{"gate", w.gate},       {"up", w.up},
                       {"down", w.down},       {"gate_bias", w.gate_bias},
                       {"up_bias", w.up_bias}, {"down_bias", w.down_bias}};
  std::vector<Named> present;
  for (const Named& named : all) {
    if (named.second.data) present.push_back(named);
  }
  return present;
}

/// In pieces: the whole would need its memory a second time.
void store(DType dtype, const gf_tensor& tensor, uint8_t* out) {
  constexpr int64_t kPiece = 1 << 20;
  const auto* values = static_cast<const float*>(tensor.data);
  const int64_t count = tensor.rows * tensor.cols;
  for (int64_t i = 0; i < count; i += kPiece) {
    const std::vector<float> piece(values + i, values + std::min(count, i + kPiece));
    const std::vector<uint8_t> stored = stored_as(dtype, piece);
    std::memcpy(out + i * info(dtype).bytes, stored.data(), stored.size());
  }
}

}  // namespace

void PeerWeights::write(const FfnData& data) {
  if (bytes_) return;
  const gf_ffn_weights weights = data.weights();
  const std::vector<Named> tensors = tensors_of(weights);
  const DType dtype = data.ffn().dtype;
  size_t end = 0;
  for (const auto& [name, tensor] : tensors) {
    Place place{name, end, {tensor.rows}};
    if (tensor.cols != 1 || std::strstr(name, "bias") == nullptr)
      place.shape.push_back(tensor.cols);
    places_.push_back(place);
    end += static_cast<size_t>(tensor.rows * tensor.cols * info(dtype).bytes);
    end = (end + kAlignment - 1) / kAlignment * kAlignment;
  }
  bytes_ = std::make_unique<SharedBytes>(end);
  for (size_t i = 0; i < tensors.size(); ++i) {
    store(dtype, tensors[i].second, bytes_->data() + places_[i].offset);
  }
}

}  // namespace gatefold
