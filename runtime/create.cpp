#include <cstring>
#include <memory>
#include <vector>

#include "runtime/cuda/block.h"
#include "runtime/ffn.h"
#include "runtime/fp_environment.h"
#include "runtime/library.h"
#include "runtime/packed.h"
#include "runtime/plan.h"
#include "runtime/status.h"

namespace gatefold {

void Buffer::describe(void* data, uint8_t code, uint8_t bits, int dimensions) {
  raw.host = static_cast<uint8_t*>(data);
  raw.type = halide_type_t(static_cast<halide_type_code_t>(code), bits, 1);
  raw.dimensions = dimensions;
  raw.dim = dim;
}

void Buffer::move_to_device() {
  raw.device = reinterpret_cast<uintptr_t>(raw.host);
  raw.host = nullptr;
  raw.flags = halide_buffer_flag_device_dirty;
}

void cuda::DestroyBlock::operator()(Block* block) const { delete block; }

namespace {

template <typename Struct>
gf_status check_struct(const char* name, const Struct* s) {
  if (s && s->struct_size >= sizeof(Struct)) return GF_OK;
  if (!s) return failed(GF_INVALID_ARGUMENT, "%s: null pointer", name);
  return failed(GF_INVALID_ARGUMENT, "%s: struct_size %u, wanted %zu", name, s->struct_size,
                sizeof(Struct));
}

/// Buffer of one stream: every step-th panel from the first on, in units of the kernel's word.
void describe_stream(const gf_kernel& kernel, const gf_weight_stream& stream,
                     const PackedMatrix& matrix, Buffer* buffer) {
  const PackedLayout& layout = matrix.layout;
  // Kernels only read weights; a Halide buffer serves both directions.
  const int64_t panel_bytes = layout.panel_elements() * dtype_bytes(layout.dtype);
  uint8_t* data = const_cast<uint8_t*>(matrix.data) + stream.first * panel_bytes;
  buffer->describe(data, kernel.word_code, kernel.word_bits, 4);
  const auto i32 = [](int64_t v) { return static_cast<int32_t>(v); };
  buffer->dim[0] = {0, kernel.word_k, 1};
  buffer->dim[1] = {0, i32(layout.panel), kernel.word_k};
  buffer->dim[2] = {0, i32(layout.kq), i32(layout.panel * kernel.word_k)};
  buffer->dim[3] = {0, i32(layout.panels / stream.step),
                    i32(panel_words(kernel, layout) * stream.step)};
}

void make_buckets(gf_ffn& ffn, const std::vector<BucketChoice>& choices) {
  ffn.bucket_count = static_cast<int>(choices.size());
  ffn.buckets = std::make_unique<Bucket[]>(choices.size());
  for (size_t i = 0; i < choices.size(); ++i) {
    Bucket& bucket = ffn.buckets[i];
    const gf_kernel& kernel = *choices[i].kernel;
    bucket.choice = choices[i];
    bucket.streams = std::make_unique<Buffer[]>(static_cast<size_t>(kernel.stream_count));
    for (int s = 0; s < kernel.stream_count; ++s) {
      const gf_weight_stream& stream = kernel.streams[s];
      describe_stream(kernel, stream, ffn.matrices[stream.matrix], &bucket.streams[s]);
    }
  }
}

/// Points the block at its packed weights and makes what its kernels are called with.
void use_packed(gf_ffn& ffn, const void* memory, const std::vector<BucketChoice>& choices) {
  const auto* bytes = static_cast<const uint8_t*>(memory);
  const PackedPlaces places = packed_places(ffn);
  for (int m = 0; m < 3; ++m) {
    PackedMatrix& matrix = ffn.matrices[m];
    if (places.matrix[m]) matrix.data = bytes + places.matrix[m];
    if (!places.bias[m]) continue;
    const auto columns = static_cast<int32_t>(matrix.layout.panels * matrix.layout.panel);
    ffn.bias_buffers[m].describe(const_cast<uint8_t*>(bytes) + places.bias[m], halide_type_float,
                                 32, 1);
    ffn.bias_buffers[m].dim[0] = {0, columns, 1};
  }
  make_buckets(ffn, choices);
}

/// The same for a device: what lies at `memory` is copied there and no longer needed.
gf_status use_on_device(gf_ffn& ffn, const void* memory, const std::vector<BucketChoice>& choices) {
  std::unique_ptr<cuda::Block> block;
  ffn.packed_bytes = packed_places(ffn).bytes;
  const gf_status status = cuda::Block::make(ffn.target.device, memory, ffn.packed_bytes, &block);
  if (status != GF_OK) return status;
  use_packed(ffn, reinterpret_cast<const void*>(block->weights()), choices);
  for (Buffer& bias : ffn.bias_buffers) bias.move_to_device();
  for (int i = 0; i < ffn.bucket_count; ++i) {
    const Bucket& bucket = ffn.buckets[i];
    for (int s = 0; s < bucket.choice.kernel->stream_count; ++s) bucket.streams[s].move_to_device();
  }
  ffn.cuda.reset(block.release());
  return GF_OK;
}

gf_status create(const gf_library& library, const gf_ffn_desc& desc, const gf_ffn_weights& weights,
                 const gf_options* options, gf_ffn** out) {
  const StandardFpEnvironment standard;
  auto ffn = std::make_unique<gf_ffn>();
  std::vector<BucketChoice> choices;
  WeightViews views;
  gf_status status = plan_block(library, desc, options, *ffn, &choices);
  if (status == GF_OK) status = view_weights(*library.table, ffn->sizes, weights, &views);
  if (status != GF_OK) return status;
  ffn->pages = Pages(static_cast<size_t>(packed_places(*ffn).bytes));
  ffn->packed_bytes = static_cast<int64_t>(ffn->pages.reserved());
  status = write_packed(*ffn, views, ffn->pages.data());
  if (status != GF_OK) return status;
  if (ffn->target.on_cuda()) {
    const Pages packed = std::move(ffn->pages);
    status = use_on_device(*ffn, packed.data(), choices);
    if (status != GF_OK) return status;
  } else {
    use_packed(*ffn, ffn->pages.data(), choices);
  }
  *out = ffn.release();
  return GF_OK;
}

gf_status create_packed(const gf_library& library, const gf_ffn_desc& desc, const void* packed,
                        int64_t bytes, const gf_options* options, gf_ffn** out) {
  auto ffn = std::make_unique<gf_ffn>();
  std::vector<BucketChoice> choices;
  gf_status status = plan_block(library, desc, options, *ffn, &choices);
  if (status == GF_OK) status = check_packed(*ffn, packed, bytes);
  if (status != GF_OK) return status;
  if (ffn->target.on_cuda()) {
    status = use_on_device(*ffn, packed, choices);
    if (status != GF_OK) return status;
  } else {
    ffn->packed_bytes = packed_places(*ffn).bytes;
    use_packed(*ffn, packed, choices);
  }
  *out = ffn.release();
  return GF_OK;
}

gf_status pack(const gf_library& library, const gf_ffn_desc& desc, const gf_ffn_weights& weights,
               const gf_options* options, void* buffer, int64_t bytes) {
  const StandardFpEnvironment standard;
  gf_ffn planned;
  std::vector<BucketChoice> choices;
  WeightViews views;
  gf_status status = plan_block(library, desc, options, planned, &choices);
  if (status == GF_OK) status = view_weights(*library.table, planned.sizes, weights, &views);
  if (status == GF_OK) status = check_packed_memory(planned, buffer, bytes);
  return status == GF_OK ? write_packed(planned, views, buffer) : status;
}

}  // namespace
}  // namespace gatefold

using gatefold::check_struct;
using gatefold::failed;

gf_status gf_ffn_create(const gf_library* library, const gf_ffn_desc* desc,
                        const gf_ffn_weights* weights, const gf_options* options, gf_ffn** out) {
  if (!library || !out) return failed(GF_INVALID_ARGUMENT, "gf_ffn_create: a null pointer");
  *out = nullptr;
  gf_status status = check_struct("desc", desc);
  if (status == GF_OK) status = check_struct("weights", weights);
  if (status != GF_OK) return status;
  return gatefold::guarded(
      [&] { return gatefold::create(*library, *desc, *weights, options, out); });
}

gf_status gf_ffn_packed_bytes(const gf_library* library, const gf_ffn_desc* desc,
                              const gf_options* options, int64_t* bytes) {
  if (!library || !bytes) return failed(GF_INVALID_ARGUMENT, "gf_ffn_packed_bytes: a null pointer");
  *bytes = 0;
  if (const gf_status status = check_struct("desc", desc); status != GF_OK) return status;
  return gatefold::guarded([&] {
    gf_ffn planned;
    std::vector<gatefold::BucketChoice> choices;
    const gf_status status = gatefold::plan_block(*library, *desc, options, planned, &choices);
    if (status == GF_OK) *bytes = gatefold::packed_places(planned).bytes;
    return status;
  });
}

gf_status gf_ffn_pack(const gf_library* library, const gf_ffn_desc* desc,
                      const gf_ffn_weights* weights, const gf_options* options, void* buffer,
                      int64_t bytes) {
  if (!library) return failed(GF_INVALID_ARGUMENT, "gf_ffn_pack: a null pointer");
  gf_status status = check_struct("desc", desc);
  if (status == GF_OK) status = check_struct("weights", weights);
  if (status != GF_OK) return status;
  return gatefold::guarded(
      [&] { return gatefold::pack(*library, *desc, *weights, options, buffer, bytes); });
}

gf_status gf_ffn_create_packed(const gf_library* library, const gf_ffn_desc* desc,
                               const void* packed, int64_t bytes, const gf_options* options,
                               gf_ffn** out) {
  if (!library || !out) return failed(GF_INVALID_ARGUMENT, "gf_ffn_create_packed: a null pointer");
  *out = nullptr;
  if (const gf_status status = check_struct("desc", desc); status != GF_OK) return status;
  return gatefold::guarded(
      [&] { return gatefold::create_packed(*library, *desc, packed, bytes, options, out); });
}

void gf_ffn_destroy(gf_ffn* ffn) { delete ffn; }
