#include "runtime/plan.h"

#include <algorithm>
#include <cstring>

#include "runtime/status.h"
#include "runtime/threads.h"

namespace gatefold {
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

/// What an older caller's struct lacks is 0.
gf_status read_options(const gf_options* given, gf_options* options) {
  constexpr size_t kOldest = offsetof(gf_options, parallel_for);
  *options = {};
  if (!given) return GF_OK;
  if (given->struct_size < kOldest) {
    return failed(GF_INVALID_ARGUMENT, "options: struct_size %u, wanted at least %zu",
                  given->struct_size, kOldest);
  }
  std::memcpy(options, given, std::min<size_t>(given->struct_size, sizeof *options));
  if (options->reserved != 0)
    return failed(GF_INVALID_ARGUMENT, "options: reserved %d, wanted 0", options->reserved);
  return GF_OK;
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

void plan_layouts(gf_ffn& ffn) {
  for (int m = 0; m < 3; ++m) {
    PackedLayout& layout = ffn.matrices[m].layout;
    layout = packed_layout(ffn.packing, out_size(m, ffn.sizes), in_size(m, ffn.sizes), ffn.dtype);
    ffn.widest = std::max({ffn.widest, layout.panels * layout.panel, layout.kq * layout.pair});
  }
}

}  // namespace

int64_t panel_words(const gf_kernel& kernel, const PackedLayout& layout) {
  return layout.kq * layout.panel * kernel.word_k;
}

gf_status plan_block(const gf_library& library, const gf_ffn_desc& desc, const gf_options* given,
                     gf_ffn& ffn, std::vector<BucketChoice>* choices) {
  gf_options options;
  gf_status status = read_options(given, &options);
  if (status == GF_OK) status = check_description(*library.table, desc);
  if (status == GF_OK) status = resolve_threads(options.threads, &ffn.executor.threads);
  if (status == GF_OK)
    status = choose_target(*library.table, options.isa, &ffn.target, options.cuda_device);
  if (status != GF_OK) return status;
  ffn.table = library.table;
  ffn.dtype = table_dtype(*library.table);
  ffn.act_dtype = table_act_dtype(*library.table);
  ffn.sizes = {desc.d_model, desc.d_ff};
  ffn.executor.parallel_for = options.parallel_for;
  ffn.executor.parallel_for_context = options.parallel_for_context;
  *choices = choose_kernels(*library.table, ffn.target.target, ffn.executor.threads);
  ffn.packing = choices->front().kernel->packing;
  plan_layouts(ffn);
  return check_streams(ffn, *choices);
}

}  // namespace gatefold
