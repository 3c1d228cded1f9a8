#include "tuning/roof_probes_x86.h"

namespace gatefold {

PeakProbe f32_probe(Target target) {
  return info(target).vector_lanes == 16 ? f32_probe_avx512() : f32_probe_avx2();
}

PeakProbe bf16_probe(Target target) {
  return info(target).bf16 == Bf16Path::dot ? bf16_probe_avx512() : f32_probe(target);
}

PeakProbe i8_probe(Target target) {
  return info(target).vector_lanes == 16 ? i8_probe_avx512() : i8_probe_avx2();
}

}  // namespace gatefold
