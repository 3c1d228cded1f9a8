/* A kernel library as a C compiler could make it; its kernel writes 42. */
#include <math.h>

#include "gatefold/kernel_table.h"

#if defined(__aarch64__)
#define TARGET "arm64-neon"
#else
#define TARGET "x86-avx2"
#endif

/* The part of halide_buffer_t up to host. */
struct buffer {
  uint64_t device;
  const void* interface;
  float* host;
};

static int call(void** args) {
  struct buffer* y = args[5];
  y->host[0] = 42;
  return 0;
}

static const gf_weight_stream streams[] = {{GF_MATRIX_UP, 0, 1, 0}, {GF_MATRIX_DOWN, 0, 1, 0}};
static const gf_kernel kernels[] = {{"fake_kernel",
                                     TARGET,
                                     {16, 1, 1, 1},
                                     "fusion=fake",
                                     "default",
                                     1,
                                     INT64_MAX,
                                     0,
                                     2,
                                     streams,
                                     2,
                                     32,
                                     1,
                                     0,
                                     call,
                                     NULL,
                                     NAN,
                                     NAN,
                                     NAN}};
static const gf_kernel_table table = {GF_KERNEL_TABLE_MAGIC,
                                      GF_KERNEL_TABLE_VERSION,
                                      sizeof table,
                                      sizeof(gf_kernel),
                                      "fake_module",
                                      "relu",
                                      "f32",
                                      0,
                                      1,
                                      0,
                                      0,
                                      0,
                                      0,
                                      1,
                                      1,
                                      1,
                                      1,
                                      "21.0.0",
                                      kernels,
                                      "f32",
                                      0,
                                      "f32"};

const gf_kernel_table* gatefold_kernels(void) { return &table; }
