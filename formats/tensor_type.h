#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace gatefold {

/// The element types that can be weights.
enum class TensorType { f32, bf16, f16 };

size_t item_bytes(TensorType type);

/// An element type of the safetensors format.
struct SafetensorsDtype {
  std::string_view name;  ///< as in the file, e.g. "BF16"
  int bits;
  std::optional<TensorType> weight;  ///< none: such a tensor is nobody's weights
};

/// Null if the format has no dtype of that name.
const SafetensorsDtype* find_safetensors_dtype(std::string_view name);
std::string_view safetensors_dtype_name(TensorType type);  ///< "F32", "BF16", "F16"
std::string safetensors_dtype_names();                     ///< all of them, for a message

}  // namespace gatefold
