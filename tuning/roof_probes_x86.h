#pragma once

#include "tuning/roof_probes.h"

namespace gatefold {

PeakProbe f32_probe_avx2();
PeakProbe i8_probe_avx2();
PeakProbe f32_probe_avx512();
PeakProbe bf16_probe_avx512();
PeakProbe i8_probe_avx512();  ///< falls back to AVX2's where there is no VNNI

}  // namespace gatefold
