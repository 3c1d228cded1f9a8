#include "formats/extent.h"

namespace gatefold {

std::optional<int64_t> element_count(std::span<const int64_t> shape) {
  int64_t product = 1;
  bool empty = false;
  for (const int64_t size : shape) {
    if (size < 0) return std::nullopt;
    if (size == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(product, size, &product)) {
      return std::nullopt;
    }
  }
  return empty ? 0 : product;
}

std::string shape_text(std::span<const int64_t> shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  }
  return text + "]";
}

}  // namespace gatefold
