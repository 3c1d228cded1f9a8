#include <algorithm>
#include <cstring>
#include <new>

#include "runtime/ffn.h"
#include "runtime/fp_environment.h"
#include "runtime/library.h"
#include "runtime/status.h"
#include "runtime/threads.h"

namespace gatefold {

void Buffer::describe(void* data, uint8_t code, uint8_t bits, int dimensions) {
  raw.host = static_cast<uint8_t*>(data);
  raw.type = halide_type_t(static_cast<halide_type_code_t>(code), bits, 1);
  raw.dimensions = dimensions;
  raw.dim = dim;
}

namespace {

gf_status check_size(const char* name, int64_t wanted, int64_t of_library) {
  if (wanted < 1 || wanted > kMaxDimension) {
    return failed(GF_INVALID_ARGUMENT, "%s: %lld, wanted 1 to %lld", name,
                  static_cast<long long>(wanted), static_cast<long long>(kMaxDimension));
  }
  if (of_library != 0 && wanted != of_library) {
    return failed(GF_SHAPE_MISMATCH, "%s: %lld, the library was generated for %lld", name,
                  static_cast<long long>(wanted), static_cast<long long>(of_library));
  }
  return GF_OK;
}

gf_status check_description(const gf_kernel_table& table, const gf_ffn_desc& desc) {
  gf_status status = check_size("d_model", desc.d_model, table.d_model);
  if (status == GF_OK) status = check_size("d_ff", desc.d_ff, table.d_ff);
  if (status == GF_OK && desc.variant && std::strcmp(desc.variant, table.variant) != 0) {
    return failed(GF_INVALID_ARGUMENT, "variant: '%s', the library computes '%s'", desc.variant,
                  table.variant);
  }
  return status;
}

template <typename Struct>
gf_status check_struct(const char* name, const Struct* s) {
  if (s && s->struct_size >= sizeof(Struct)) return GF_OK;
  if (!s) return failed(GF_INVALID_ARGUMENT, "%s: null pointer", name);
  return failed(GF_INVALID_ARGUMENT, "%s: struct_size %u, wanted %zu", name, s->struct_size,
                sizeof(Struct));
}

/// Words of one panel, in units of the kernel's word.
int64_t panel_words(const gf_kernel& kernel, const PackedLayout& layout) {
  return layout.kq * layout.panel * kernel.word_k;
}

/// Kernels index a whole stream with 32-bit numbers: its panels lie `step` panels apart.
gf_status check_stream(const gf_kernel& kernel, const gf_weight_stream& stream, const gf_ffn& ffn) {
  constexpr const char* kNames[] = {"gate", "up", "down"};
  const PackedLayout& layout = ffn.matrices[stream.matrix].layout;
  const int64_t words = layout.panels / stream.step * (panel_words(kernel, layout) * stream.step);
  if (words <= INT32_MAX) return GF_OK;
  return failed(GF_INVALID_ARGUMENT,
                "%s: %lld x %lld packs to %lld words for kernel '%s', wanted at most %lld",
                kNames[stream.matrix], static_cast<long long>(out_size(stream.matrix, ffn.sizes)),
                static_cast<long long>(in_size(stream.matrix, ffn.sizes)),
                static_cast<long long>(words), kernel.name, static_cast<long long>(INT32_MAX));
}

gf_status check_streams(const gf_ffn& ffn, const std::vector<BucketChoice>& choices) {
  for (const BucketChoice& choice : choices) {
    const gf_kernel& kernel = *choice.kernel;
    for (int s = 0; s < kernel.stream_count; ++s) {
      const gf_status status = check_stream(kernel, kernel.streams[s], ffn);
      if (status != GF_OK) return status;
    }
  }
  return GF_OK;
}

/// Buffer of one stream: every step-th panel from the first on, in units of the kernel's word.
void describe_stream(const gf_kernel& kernel, const gf_weight_stream& stream,
                     const PackedMatrix& matrix, Buffer* buffer) {
  const PackedLayout& layout = matrix.layout;
  const int64_t panel_bytes = layout.panel_elements() * dtype_bytes(layout.dtype);
  uint8_t* data = static_cast<uint8_t*>(matrix.pages.data()) + stream.first * panel_bytes;
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

void plan_layouts(gf_ffn& ffn, const gf_packing& packing) {
  for (int m = 0; m < 3; ++m) {
    PackedLayout& layout = ffn.matrices[m].layout;
    layout = packed_layout(packing, out_size(m, ffn.sizes), in_size(m, ffn.sizes), ffn.dtype);
    ffn.widest = std::max({ffn.widest, layout.panels * layout.panel, layout.kq * layout.pair});
  }
}

void pack_weights(gf_ffn& ffn, const WeightViews& views) {
  for (int m = 0; m < 3; ++m) {
    PackedMatrix& matrix = ffn.matrices[m];
    const int64_t padded = matrix.layout.panels * matrix.layout.panel;
    if (!views.matrix[m].data) continue;  // dense blocks have no gate
    matrix.pages = Pages(static_cast<size_t>(matrix.layout.bytes()));
    pack_matrix(views.matrix[m], matrix.layout, ffn.threads, matrix.pages.data());
    if (!ffn.table->has_bias) continue;
    ffn.biases[m] = Pages(static_cast<size_t>(padded) * sizeof(float));
    pack_vector(views.bias[m], padded, static_cast<float*>(ffn.biases[m].data()));
    ffn.bias_buffers[m].describe(ffn.biases[m].data(), halide_type_float, 32, 1);
    ffn.bias_buffers[m].dim[0] = {0, static_cast<int32_t>(padded), 1};
  }
}

gf_status create(const gf_library* library, const gf_ffn_desc& desc, const gf_ffn_weights& weights,
                 const gf_options* options, gf_ffn** out) {
  const StandardFpEnvironment standard;
  auto ffn = std::make_unique<gf_ffn>();
  ffn->table = library->table;
  ffn->dtype = table_dtype(*library->table);
  ffn->act_dtype = table_act_dtype(*library->table);
  ffn->sizes = {desc.d_model, desc.d_ff};
  gf_status status = check_description(*library->table, desc);
  if (status == GF_OK) status = resolve_threads(options ? options->threads : 0, &ffn->threads);
  if (status == GF_OK)
    status = choose_target(*library->table, options ? options->isa : nullptr, &ffn->target);
  WeightViews views;
  if (status == GF_OK) status = view_weights(*library->table, ffn->sizes, weights, &views);
  if (status != GF_OK) return status;
  const auto choices = choose_kernels(*library->table, ffn->target.target, ffn->threads);
  plan_layouts(*ffn, choices.front().kernel->packing);
  status = check_streams(*ffn, choices);
  if (status != GF_OK) return status;
  pack_weights(*ffn, views);
  make_buckets(*ffn, choices);
  *out = ffn.release();
  return GF_OK;
}

}  // namespace
}  // namespace gatefold

gf_status gf_ffn_create(const gf_library* library, const gf_ffn_desc* desc,
                        const gf_ffn_weights* weights, const gf_options* options, gf_ffn** out) {
  using namespace gatefold;
  if (!library || !out) return failed(GF_INVALID_ARGUMENT, "gf_ffn_create: a null pointer");
  *out = nullptr;
  gf_status status = check_struct("desc", desc);
  if (status == GF_OK) status = check_struct("weights", weights);
  if (status == GF_OK && options) status = check_struct("options", options);
  if (status != GF_OK) return status;
  return guarded([&] { return create(library, *desc, *weights, options, out); });
}

void gf_ffn_destroy(gf_ffn* ffn) { delete ffn; }
