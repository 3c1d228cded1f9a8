#pragma once

#include "gatefold/gatefold.h"

namespace gatefold {

/// Largest size of a dimension, as in spec/shape.h.
inline constexpr int64_t kMaxDimension = int64_t{1} << 20;
inline constexpr int kMaxStreams = 32;

/// Kernels of a newer table are longer than this runtime's gf_kernel.
inline const gf_kernel& kernel_at(const gf_kernel_table& table, int index) {
  const char* base = reinterpret_cast<const char*>(table.kernels);
  return *reinterpret_cast<const gf_kernel*>(base + size_t{table.kernel_size} *
                                                        static_cast<size_t>(index));
}

/// The table's dtype; only call on a checked table.
gf_dtype table_dtype(const gf_kernel_table& table);
gf_dtype table_act_dtype(const gf_kernel_table& table);  ///< of x and y

/// Whether everything that the runtime relies on holds; `source` names the library in the message.
gf_status check_table(const gf_kernel_table* table, const char* source);

}  // namespace gatefold
