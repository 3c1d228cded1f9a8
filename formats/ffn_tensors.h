#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "formats/safetensors.h"
#include "spec/ffn_spec.h"

namespace gatefold {

/// How a fused gate/up tensor is ordered; there is no default.
enum class GateOrder { gate_first, up_first, interleaved };

GateOrder gate_order_named(std::string_view name);

/// The names that one block's tensors have in a weight file.
struct FfnTensorNames {
  std::optional<std::string> gate, up, gate_up, down;
  std::optional<std::string> gate_bias, up_bias, gate_up_bias, down_bias;
  std::optional<GateOrder> order;
  bool transposed = false;  ///< matrices are stored [in, out]
};

/// One block's tensors; nullptr where there is none. The pointers are into the Safetensors.
struct FfnTensors {
  const Tensor *gate = nullptr, *up = nullptr, *gate_up = nullptr, *down = nullptr;
  const Tensor *gate_bias = nullptr, *up_bias = nullptr, *gate_up_bias = nullptr,
               *down_bias = nullptr;
  int64_t d_model = 0;
  int64_t d_ff = 0;
};

/// Whether the names are those that the block needs: a usage error naming the flag if not.
void check_tensor_names(const FfnTensorNames& names, const FfnSpec& ffn);

/// Finds the tensors and checks their shapes against each other and the block's: errors name file,
/// tensor and both shapes. Sizes that the block leaves open are taken from `down`.
FfnTensors find_ffn_tensors(const Safetensors& file, const std::string& file_name,
                            const FfnTensorNames& names, const FfnSpec& ffn);

}  // namespace gatefold
