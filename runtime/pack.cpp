#include "runtime/pack.h"

#include <algorithm>

#include "runtime/pack_loops.h"

namespace gatefold {
namespace {

using packing::Bf16;
using packing::F16;
using packing::F32;
using packing::PanelRange;

/// Transposed sources already have a panel's columns side by side; several panels at once make
/// their reads long. Other sources are read along their rows anyway: small tasks end together.
int64_t panels_per_task(const MatrixView& from) { return from.stride_k != 1 ? 16 : 2; }

template <typename From, typename To>
void pack_panels(const MatrixView& from, const PackedLayout& layout, PanelRange panels,
                 uint8_t* out) {
  const int64_t panel_bytes = layout.panel_elements() * dtype_bytes(layout.dtype);
  if (from.stride_k != 1) {
    switch (layout.pair) {
      case 1:
        return packing::pack_columns<From, To, 1>(from, layout, panels, out);
      case 2:
        return packing::pack_columns<From, To, 2>(from, layout, panels, out);
      case 4:
        return packing::pack_columns<From, To, 4>(from, layout, panels, out);
      default:
        return packing::pack_columns<From, To, 8>(from, layout, panels, out);
    }
  }
  for (int64_t p = panels.first; p < panels.last; ++p, out += panel_bytes)
    packing::pack_rows<From, To>(from, layout, p, out);
}

using PackPanels = void (*)(const MatrixView&, const PackedLayout&, PanelRange, uint8_t*);

template <typename To>
PackPanels pack_from(gf_dtype from) {
  switch (from) {
    case GF_F32:
      return pack_panels<F32, To>;
    case GF_BF16:
      return pack_panels<Bf16, To>;
    case GF_F16:
      return pack_panels<F16, To>;
  }
  return nullptr;
}

PackPanels pack_to(gf_dtype to, gf_dtype from) {
  switch (to) {
    case GF_F32:
      return pack_from<F32>(from);
    case GF_BF16:
      return pack_from<Bf16>(from);
    case GF_F16:
      return pack_from<F16>(from);
  }
  return nullptr;
}

struct PackJob {
  const MatrixView& from;
  const PackedLayout& layout;
  PackPanels pack;
  uint8_t* out;
};

int pack_task(void*, int index, uint8_t* closure) {
  const PackJob& job = *reinterpret_cast<const PackJob*>(closure);
  const int64_t panel_bytes = job.layout.panel_elements() * dtype_bytes(job.layout.dtype);
  const int64_t step = panels_per_task(job.from), first = index * step;
  const PanelRange panels{first, std::min(first + step, job.layout.panels)};
  job.pack(job.from, job.layout, panels, job.out + first * panel_bytes);
  return 0;
}

}  // namespace

PackedLayout packed_layout(const gf_packing& packing, int64_t n, int64_t k, gf_dtype dtype) {
  PackedLayout layout;
  layout.panel = packing.panel;
  layout.pair = packing.pair;
  layout.panels = round_up(ceil_div(n, packing.panel), packing.group);
  layout.kq = round_up(ceil_div(k, packing.pair), packing.k_step);
  layout.dtype = dtype;
  return layout;
}

int pack_matrix(const MatrixView& from, const PackedLayout& layout, const Executor& executor,
                void* out) {
  const PackPanels pack = pack_to(layout.dtype, from.dtype);
  PackJob job{from, layout, pack, static_cast<uint8_t*>(out)};
  const auto tasks = static_cast<int>(ceil_div(layout.panels, panels_per_task(from)));
  return executor.par_for(pack_task, nullptr, 0, tasks, reinterpret_cast<uint8_t*>(&job));
}

void pack_vector(const MatrixView& from, int64_t padded, float* out) {
  const int64_t length = from.data ? from.n : 0;
  const int64_t step = from.stride_n * dtype_bytes(from.dtype);
  for (int64_t i = 0; i < length; ++i) {
    const uint8_t* p = from.data + i * step;
    switch (from.dtype) {
      case GF_F32:
        out[i] = packing::load<F32, F32>(p);
        break;
      case GF_BF16:
        out[i] = packing::load<Bf16, F32>(p);
        break;
      case GF_F16:
        out[i] = packing::load<F16, F32>(p);
        break;
    }
  }
  std::fill(out + length, out + padded, 0.0f);
}

}  // namespace gatefold
