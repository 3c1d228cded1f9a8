#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/ffn_spec.h"

namespace gatefold {

/// One tiling of a block's tensor-core kernels. Both projections take it; where the block is gated,
/// the tile of the down projection has twice the columns: the gate/up product has two matrices, so
/// that the sums of a thread are equally many.
struct TensorCorePoint {
  int bm = 128;     ///< rows of a tile
  int bn = 64;      ///< hidden columns of a tile
  int bk = 32;      ///< k values of one stage
  int stages = 4;   ///< of asynchronous copies into shared memory
  int warps_m = 2;  ///< warps that share a tile's rows
  int warps_n = 2;  ///< warps that share a tile's columns
  int split_k = 1;  ///< parts of d_ff that the down projection adds up apart, in a fixed order

  bool operator==(const TensorCorePoint&) const = default;
  std::string text() const;  ///< "bm=128 bn=64 …"; parse_tensor_core_point reads it back
};

struct TensorCoreTunable {
  const char* name;
  int TensorCorePoint::*value;
  const char* meaning;
};

/// In printing order. Printing, parsing and search follow from it.
inline constexpr std::array<TensorCoreTunable, 7> kTensorCoreTunables = {{
    {"bm", &TensorCorePoint::bm, "rows of a tile"},
    {"bn", &TensorCorePoint::bn, "hidden columns of a tile"},
    {"bk", &TensorCorePoint::bk, "k values of one stage"},
    {"stages", &TensorCorePoint::stages, "stages of asynchronous copies"},
    {"warps_m", &TensorCorePoint::warps_m, "warps that share a tile's rows"},
    {"warps_n", &TensorCorePoint::warps_n, "warps that share a tile's columns"},
    {"split_k", &TensorCorePoint::split_k, "parts of d_ff in the down projection"},
}};

/// Reads "name=value …" in any order; all tunables must stand there once.
TensorCorePoint parse_tensor_core_point(std::string_view text);

/// The compute capability of a CUDA target: 80 of "cuda-sm80"; a usage error for another target.
int compute_capability(const std::string& target);

/// Shared memory that one block may have, in bytes. A multiprocessor of sm_80 has 164 KiB and of
/// sm_90 228 KiB, of which the driver keeps 1 KiB for each block.
int most_shared_bytes(int capability);

/// Why no tensor-core kernel of this description can be made, whatever the tiling.
std::optional<std::string> why_no_tensor_cores(const KernelSpec& kernel);

/// Why this tiling is not legal; nothing if it is.
std::optional<std::string> why_illegal(const KernelSpec& kernel, const TensorCorePoint& point,
                                       int capability);

/// All tilings worth a try that are legal, in a fixed order.
std::vector<TensorCorePoint> legal_tensor_core_points(const KernelSpec& kernel, int capability);

/// A tiling by the row count that names the kernel's bucket; legal wherever tensor cores are.
TensorCorePoint default_tensor_core_point(const KernelSpec& kernel);

}  // namespace gatefold
