#include "spec/dtype.h"

#include "spec/names.h"

namespace gatefold {

const std::vector<DTypeInfo>& all_dtypes() {
  static const std::vector<DTypeInfo> dtypes = {
      {"f32", DType::f32, 4, "f32 storage, f32 accumulation"},
      {"bf16", DType::bf16, 2, "bf16 storage, f32 accumulation, y rounded once"},
      {"f16", DType::f16, 2, "f16 storage, f32 arithmetic and hidden layer, y rounded once"},
  };
  return dtypes;
}

const DTypeInfo& info(DType dtype) { return all_dtypes().at(static_cast<size_t>(dtype)); }

DType dtype_named(std::string_view name) { return find_named(all_dtypes(), name, "dtype").dtype; }

}  // namespace gatefold
