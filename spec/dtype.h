#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gatefold {

/// Storage type of weights or activations. Sums are f32 unless a description asks for f16.
enum class DType { f32, bf16, f16 };

struct DTypeInfo {
  std::string name;
  DType dtype;
  int bytes;
  std::string note;
};

const std::vector<DTypeInfo>& all_dtypes();
const DTypeInfo& info(DType dtype);
DType dtype_named(std::string_view name);  ///< usage error with the nearest name if unknown

}  // namespace gatefold
