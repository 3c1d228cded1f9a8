#include "tuning/roof_probes.h"

// As in roof_probes_avx2.cpp: ordinary numbers in the registers, and more independent accumulators
// than latency times throughput (four cycles and four pipes in the widest cores).

namespace gatefold {
namespace {

constexpr float kOrdinary = 0.999f;

#define CLOBBER_V                                                                                \
  "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", \
      "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", \
      "v28", "v29", "v30", "v31"

// clang-format off
#define EACH_24(M)                                                       \
  M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7) M(8) M(9) M(10) M(11)          \
  M(12) M(13) M(14) M(15) M(16) M(17) M(18) M(19) M(20) M(21) M(22) M(23)
// clang-format on

#define FMLA(i) "fmla v" #i ".4s, v30.4s, v31.4s\n"
void run_f32(int64_t iterations) {
  asm volatile(
      "dup v30.4s, %w[value]\n"
      "mov v31.16b, v30.16b\n"
      "1:\n" EACH_24(FMLA) "subs %[n], %[n], #1\n"
      "b.ne 1b\n"
      : [n] "+r"(iterations)
      : [value] "r"(__builtin_bit_cast(uint32_t, kOrdinary))
      : "cc", CLOBBER_V);
}

// armv8.0 has no dot product of bytes: two products to 16 bits, which pairs of them fit into, and
// then pairs to 32.
#define DOT3(tmp, acc)      \
  "smull v" #tmp            \
  ".8h, v30.8b, v31.8b\n"   \
  "smlal2 v" #tmp           \
  ".8h, v30.16b, v31.16b\n" \
  "sadalp v" #acc ".4s, v" #tmp ".8h\n"
void run_i8_three(int64_t iterations) {
  asm volatile(
      "movi v30.16b, #17\n"
      "movi v31.16b, #17\n"
      "1:\n" DOT3(0, 12) DOT3(1, 13) DOT3(2, 14) DOT3(3, 15) DOT3(4, 16) DOT3(5, 17) DOT3(6, 18)
          DOT3(7, 19) DOT3(8, 20) DOT3(9, 21) DOT3(10, 22) DOT3(11, 23) "subs %[n], %[n], #1\n"
      "b.ne 1b\n"
      : [n] "+r"(iterations)
      :
      : "cc", CLOBBER_V);
}

#define SDOT(i) "sdot v" #i ".4s, v30.16b, v31.16b\n"
__attribute__((target("arch=armv8.2-a+dotprod"))) void run_i8_sdot(int64_t iterations) {
  asm volatile(
      "movi v30.16b, #17\n"
      "movi v31.16b, #17\n"
      "1:\n" EACH_24(SDOT) "subs %[n], %[n], #1\n"
      "b.ne 1b\n"
      : [n] "+r"(iterations)
      :
      : "cc", CLOBBER_V);
}

}  // namespace

PeakProbe f32_probe(Target) { return {"fmla v.4s", 24 * 4 * 2, run_f32}; }

/// Their words are widened by a shift and multiplied as f32.
PeakProbe bf16_probe(Target target) { return f32_probe(target); }

PeakProbe i8_probe(Target target) {
  if (target == Target::arm64_neon_dotprod) return {"sdot v.4s", 24 * 16 * 2, run_i8_sdot};
  return {"smull+smlal2+sadalp v", 12 * 16 * 2, run_i8_three};
}

}  // namespace gatefold
