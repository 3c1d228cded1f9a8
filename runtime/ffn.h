#pragma once

#include <atomic>
#include <cmath>
#include <memory>
#include <vector>

#include "HalideRuntime.h"
#include "gatefold/gatefold.h"
#include "runtime/executor.h"
#include "runtime/pack.h"
#include "runtime/pages.h"
#include "runtime/select.h"
#include "runtime/table.h"
#include "runtime/weights.h"

namespace gatefold::cuda {
class Block;
struct DestroyBlock {
  void operator()(Block* block) const;
};
}  // namespace gatefold::cuda

namespace gatefold {

/// A halide_buffer_t with room for its dimensions; stays where it was made.
struct Buffer {
  halide_buffer_t raw{};
  halide_dimension_t dim[4];

  void describe(void* data, uint8_t code, uint8_t bits, int dimensions);
  /// The address it was described with is one of device memory.
  void move_to_device();
};

struct PackedMatrix {
  PackedLayout layout;
  const uint8_t* data = nullptr;  ///< dense blocks have no gate
};

/// One row bucket, ready to be called.
struct Bucket {
  BucketChoice choice;
  std::unique_ptr<Buffer[]> streams;  ///< one per weight stream; kernels only read them
  std::atomic<bool> called{false};
  std::atomic<double> first_ms{NAN};
};

/// Which kernel the last call used and for how many rows, in one word: a report never mixes two
/// calls. A table has at most 4096 kernels; 2^52 rows are beyond any memory.
struct LastCall {
  int bucket;
  int64_t rows;
};
constexpr uint64_t pack_last_call(LastCall call) {
  return static_cast<uint64_t>(call.rows) << 12 | static_cast<uint64_t>(call.bucket);
}
constexpr LastCall unpack_last_call(uint64_t word) {
  return {static_cast<int>(word & 0xfff), static_cast<int64_t>(word >> 12)};
}

/// context, x, streams, three biases, d_ff, residual, y
inline constexpr int kMaxArguments = 2 + kMaxStreams + 3 + 3;

}  // namespace gatefold

struct gf_ffn {
  const gf_kernel_table* table = nullptr;
  gatefold::Sizes sizes;
  gf_dtype dtype = GF_F32;      ///< of the packed weights
  gf_dtype act_dtype = GF_F32;  ///< of x and y
  gatefold::Executor executor;
  gatefold::TargetChoice target;
  gf_packing packing{};
  gatefold::Pages pages;  ///< holds the packed weights, unless they are the caller's
  int64_t packed_bytes = 0;
  gatefold::PackedMatrix matrices[3];
  gatefold::Buffer bias_buffers[3];
  std::unique_ptr<gatefold::Bucket[]> buckets;
  int bucket_count = 0;
  std::unique_ptr<gatefold::cuda::Block, gatefold::cuda::DestroyBlock> cuda;  ///< of CUDA blocks
  int64_t widest = 0;  ///< most elements that one row has in any buffer of a kernel

  // Of the calls so far.
  std::atomic<uint64_t> last_call{0};  ///< a LastCall
  std::atomic<int64_t> calls{0};
  std::atomic<double> last_ms{NAN};
  std::atomic<int64_t> workspace_bytes{0};
  std::atomic<double> device_ms{NAN};
};
