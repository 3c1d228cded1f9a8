#include "runtime/table.h"

#include <cstring>

#include "runtime/pack.h"
#include "runtime/status.h"

namespace gatefold {
namespace {

bool known_dtype(const char* name) {
  constexpr const char* kKnown[] = {"f32", "bf16", "f16"};
  for (const char* known : kKnown) {
    if (std::strcmp(name, known) == 0) return true;
  }
  return false;
}

/// Of a name that known_dtype() knows.
gf_dtype dtype_named(const char* name) {
  if (std::strcmp(name, "bf16") == 0) return GF_BF16;
  return std::strcmp(name, "f16") == 0 ? GF_F16 : GF_F32;
}

gf_status check_sizes(const gf_kernel_table& t, const char* source) {
  if (t.magic != GF_KERNEL_TABLE_MAGIC)
    return failed(GF_BAD_LIBRARY, "%s: not a gatefold kernel table", source);
  if (t.version != GF_KERNEL_TABLE_VERSION) {
    return failed(GF_BAD_LIBRARY, "%s: table version %u, this runtime reads version %u", source,
                  t.version, GF_KERNEL_TABLE_VERSION);
  }
  if (t.struct_size < sizeof t || t.kernel_size < sizeof(gf_kernel) ||
      t.kernel_size % alignof(gf_kernel) != 0) {
    return failed(GF_BAD_LIBRARY,
                  "%s: table of %u and kernels of %u bytes, wanted at least %zu and %zu", source,
                  t.struct_size, t.kernel_size, sizeof t, sizeof(gf_kernel));
  }
  return GF_OK;
}

bool dimension_ok(int64_t size) { return size >= 0 && size <= kMaxDimension; }
bool flag_ok(int32_t value) { return value == 0 || value == 1; }

gf_status check_description(const gf_kernel_table& t, const char* source) {
  if (!t.library || !t.variant || !t.dtype || !t.halide_version || !t.kernels || !t.act_dtype ||
      !t.accumulate)
    return failed(GF_BAD_LIBRARY, "%s: the table has null pointers", source);
  if (!known_dtype(t.dtype))
    return failed(GF_BAD_LIBRARY, "%s: dtype '%s', wanted f32, bf16 or f16", source, t.dtype);
  if (std::strcmp(t.act_dtype, t.dtype) != 0 && std::strcmp(t.act_dtype, "f32") != 0) {
    return failed(GF_BAD_LIBRARY, "%s: act_dtype '%s', wanted %s or f32", source, t.act_dtype,
                  t.dtype);
  }
  const bool half = std::strcmp(t.act_dtype, "f16") == 0 && std::strcmp(t.accumulate, "f16") == 0;
  if (!half && std::strcmp(t.accumulate, "f32") != 0) {
    return failed(GF_BAD_LIBRARY, "%s: accumulate '%s', wanted f32, or f16 where all types are",
                  source, t.accumulate);
  }
  if (!dimension_ok(t.d_model) || !dimension_ok(t.d_ff)) {
    return failed(GF_BAD_LIBRARY, "%s: %lld x %lld, wanted sizes from 0 (any) to %lld", source,
                  static_cast<long long>(t.d_model), static_cast<long long>(t.d_ff),
                  static_cast<long long>(kMaxDimension));
  }
  if (!flag_ok(t.gated) || !flag_ok(t.has_bias))
    return failed(GF_BAD_LIBRARY, "%s: gated %d, has_bias %d, wanted 0 or 1", source, t.gated,
                  t.has_bias);
  if (!flag_ok(t.has_residual))
    return failed(GF_BAD_LIBRARY, "%s: has_residual %d, wanted 0 or 1", source, t.has_residual);
  if (t.kernel_count < 1 || t.kernel_count > 4096)
    return failed(GF_BAD_LIBRARY, "%s: %d kernels, wanted 1 to 4096", source, t.kernel_count);
  return GF_OK;
}

bool packing_ok(const gf_packing& p) {
  const bool power = p.pair >= 1 && p.pair <= kMaxPair && (p.pair & (p.pair - 1)) == 0;
  return power && p.panel >= 1 && p.panel <= kMaxPanel && p.k_step >= 1 && p.k_step <= 1024 &&
         p.group >= 1 && p.group <= 1024;
}

bool word_ok(const gf_kernel& k, gf_dtype dtype) {
  return k.word_code <= 4 && k.word_bits * k.word_k == 8 * dtype_bytes(dtype) * k.packing.pair;
}

bool streams_ok(const gf_kernel_table& t, const gf_kernel& k) {
  if (k.stream_count < 1 || k.stream_count > kMaxStreams || !k.streams) return false;
  for (int i = 0; i < k.stream_count; ++i) {
    const gf_weight_stream& s = k.streams[i];
    const bool matrix = s.matrix <= GF_MATRIX_DOWN && (t.gated || s.matrix != GF_MATRIX_GATE);
    // All streams of a matrix have the same number of panels, whatever its size.
    if (!matrix || s.step < 1 || s.first >= s.step || k.packing.group % s.step != 0) return false;
  }
  return true;
}

gf_status check_kernel(const gf_kernel_table& t, int index, const char* source) {
  const gf_kernel& k = kernel_at(t, index);
  if (!k.name || !k.target || !k.point || !k.origin || !k.call)
    return failed(GF_BAD_LIBRARY, "%s: kernel %d has null pointers", source, index);
  const char* what = k.rows_min < 1 || k.rows_max < k.rows_min ? "row bucket"
                     : !packing_ok(k.packing)                  ? "packing"
                     : !word_ok(k, table_dtype(t))             ? "word type"
                     : !streams_ok(t, k)                       ? "weight streams"
                                                               : nullptr;
  if (what) return failed(GF_BAD_LIBRARY, "%s: kernel '%s': bad %s", source, k.name, what);
  for (int i = 0; i < index; ++i) {
    const gf_kernel& other = kernel_at(t, i);
    if (std::strcmp(other.target, k.target) != 0 ||
        std::memcmp(&other.packing, &k.packing, sizeof k.packing) == 0)
      continue;
    return failed(GF_BAD_LIBRARY, "%s: kernels '%s' and '%s' of target %s differ in packing",
                  source, other.name, k.name, k.target);
  }
  return GF_OK;
}

}  // namespace

gf_dtype table_dtype(const gf_kernel_table& table) { return dtype_named(table.dtype); }

gf_dtype table_act_dtype(const gf_kernel_table& table) { return dtype_named(table.act_dtype); }

gf_status check_table(const gf_kernel_table* table, const char* source) {
  if (!table) return failed(GF_BAD_LIBRARY, "%s: gives no kernel table", source);
  gf_status status = check_sizes(*table, source);
  if (status == GF_OK) status = check_description(*table, source);
  for (int i = 0; status == GF_OK && i < table->kernel_count; ++i)
    status = check_kernel(*table, i, source);
  return status;
}

}  // namespace gatefold
