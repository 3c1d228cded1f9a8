#include "formats/tensor_type.h"

#include <algorithm>
#include <iterator>

namespace gatefold {
namespace {

// All dtypes of the format, so that a file opens which also holds ids, scales or masks.
constexpr SafetensorsDtype kDtypes[] = {
    {"F32", 32, TensorType::f32},
    {"BF16", 16, TensorType::bf16},
    {"F16", 16, TensorType::f16},
    {"F64", 64, {}},
    {"C64", 64, {}},
    {"I64", 64, {}},
    {"U64", 64, {}},
    {"I32", 32, {}},
    {"U32", 32, {}},
    {"I16", 16, {}},
    {"U16", 16, {}},
    {"I8", 8, {}},
    {"U8", 8, {}},
    {"BOOL", 8, {}},
    {"F8_E4M3", 8, {}},
    {"F8_E5M2", 8, {}},
    {"F8_E8M0", 8, {}},
    {"F8_E4M3FNUZ", 8, {}},
    {"F8_E5M2FNUZ", 8, {}},
    {"F6_E2M3", 6, {}},
    {"F6_E3M2", 6, {}},
    {"F4", 4, {}},
};

}  // namespace

size_t item_bytes(TensorType type) {
  switch (type) {
    case TensorType::f32:
      return 4;
    case TensorType::bf16:
    case TensorType::f16:
      return 2;
  }
  return 0;
}

const SafetensorsDtype* find_safetensors_dtype(std::string_view name) {
  const auto* found = std::ranges::find(kDtypes, name, &SafetensorsDtype::name);
  return found == std::end(kDtypes) ? nullptr : found;
}

std::string_view safetensors_dtype_name(TensorType type) {
  switch (type) {
    case TensorType::f32:
      return "F32";
    case TensorType::bf16:
      return "BF16";
    case TensorType::f16:
      return "F16";
  }
  return {};
}

std::string safetensors_dtype_names() {
  std::string names;
  for (const SafetensorsDtype& dtype : kDtypes) {
    names += (names.empty() ? "" : " ") + std::string(dtype.name);
  }
  return names;
}

}  // namespace gatefold
