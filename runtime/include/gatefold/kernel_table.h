/* The table that a generated library exports: what its kernels compute, how their weights are
 * packed and how they are called. Generated code fills it, the runtime reads it; applications only
 * pass it on. The table is versioned: fields are appended, never changed. */
#ifndef GATEFOLD_KERNEL_TABLE_H
#define GATEFOLD_KERNEL_TABLE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GF_KERNEL_TABLE_VERSION 5u
#define GF_KERNEL_TABLE_MAGIC 0x6466676bu /* "kgfd" */

/* Device code of a library, as PTX text; static in the library, one for each kernel. The driver
 * compiles it when it is launched for the first time. */
typedef struct gf_module {
  const char* ptx;    /* ends with NUL */
  size_t bytes;       /* without the NUL */
  int32_t capability; /* least compute capability that it runs on: 80, 90 */
  int32_t reserved;
} gf_module;

/* Services that kernels for a device take from the runtime. All work is enqueued on the stream of
 * the call, in the order of these calls; none waits for it. The device and its context are the
 * block's, and current. Where a function gives an error code, gf_hooks.error need not be called:
 * the runtime knows why, and the kernel only has to return that code. */
typedef struct gf_device_hooks {
  /* params: pointers to the arguments, as cuLaunchKernel takes them. grid is at most 2^31 - 1 by
   * 65535 by 65535; shared_bytes, the dynamic shared memory, may be all that the device has. */
  int (*launch)(void* context, const gf_module* module, const char* entry, const uint32_t grid[3],
                const uint32_t block[3], uint32_t shared_bytes, void** params);
  /* Of the call's workspace, 256-byte aligned, not zeroed. What is released may be handed out again
   * at once: later work comes later in the stream. */
  int (*allocate)(void* context, size_t bytes, uint64_t* address);
  void (*release)(void* context, uint64_t address);
  int (*zero)(void* context, uint64_t address, size_t bytes);
} gf_device_hooks;

/* Services that kernels take from the runtime; context is the pointer given with each call, which
 * points to a gf_context. They come with the call, not with the table: one process may hold several
 * runtimes (static copies in plug-ins) that call the same library and end at different times. */
typedef struct gf_hooks {
  /* Calls task(context, i, closure) for min <= i < min + count, on any threads; 0 if all gave 0. */
  int (*par_for)(void* context, int (*task)(void*, int, uint8_t*), int min, int count,
                 uint8_t* closure);
  void* (*allocate)(void* context, size_t bytes); /* 128-byte aligned, NULL if none is left */
  void (*release)(void* context, void* memory);
  void (*error)(void* context, const char* message);
  const gf_device_hooks* device; /* NULL for kernels of a CPU */
} gf_hooks;

/* What a context begins with; the rest is the runtime's own. */
typedef struct gf_context {
  const gf_hooks* hooks;
} gf_context;

enum { GF_MATRIX_GATE = 0, GF_MATRIX_UP = 1, GF_MATRIX_DOWN = 2 };

/* One weight argument of a kernel: panels first, first + step, first + 2 step, … of one packed
 * matrix, as a 4-d buffer (k in word, column, k / pair, panel). first < step, and step divides the
 * packing's group: all streams of a matrix have equally many panels, whatever its size. */
typedef struct gf_weight_stream {
  uint8_t matrix;
  uint8_t first;
  uint8_t step;
  uint8_t reserved;
} gf_weight_stream;

/* Packed layout [panel][k / pair][column][pair]: panels padded with zeros to a multiple of group,
 * k / pair to a multiple of k_step. All kernels of one target share it. panel is at most 256, pair
 * 1, 2, 4 or 8. */
typedef struct gf_packing {
  int32_t panel;
  int32_t pair;
  int32_t k_step;
  int32_t group;
} gf_packing;

typedef struct gf_kernel {
  const char* name;
  const char* target; /* "x86-avx2", … */
  gf_packing packing;
  const char* point;     /* schedule point, "fusion=gated mr=6 …" */
  const char* origin;    /* "default", "tuned", "model" or "given" */
  int64_t rows_min;      /* the bucket */
  int64_t rows_max;      /* INT64_MAX: no upper end */
  int32_t tuned_threads; /* 0: not tuned for a thread count */
  int32_t stream_count;
  const gf_weight_stream* streams;
  /* Element of a weight argument as the kernel reads it: halide_type_t code and bits, and how many
   * of them stand in the innermost dimension: word_bits * word_k is pair elements of the dtype. */
  uint8_t word_code;
  uint8_t word_bits;
  uint8_t word_k;
  uint8_t reserved;
  /* args: pointer to the gf_context pointer, x, the streams, [b_gate, b_up] or [b_up], b_down
   * (those only with biases), pointer to d_ff as int32_t (padded hidden columns must be 0 even
   * beside infinities), the residual (only with has_residual), y; all but the first are
   * halide_buffer_t *. x, residual and y are (column, row) of act_dtype; a row's stride
   * is any, column strides are 1. The residual may be y itself: an element of it is read once,
   * right before the element of y in its place is written. Biases are f32, padded with zeros to the
   * matrix's panels. The weights and biases of one block are given to several calls at
   * once: only read them. Returns 0, or a Halide error code.
   *
   * Kernels for a device (target "cuda-sm80", "cuda-sm90") find the addresses of all buffers in
   * their `device` fields; `host` and `device_interface` are NULL, the flags say that the device's
   * copy is the newer one. Rows of x, residual and y begin at multiples of 16 bytes. Rows of x may
   * be read, and are zero, up to the k that the matrices it meets are padded to. They enqueue their
   * work through the device hooks and return without waiting for it. */
  int (*call)(void** args);
  /* From the tuner's records; NULL and NaN where there are none. */
  const char* runner_up;
  double margin_pct; /* how much slower the runner-up was */
  double efficiency; /* roofline time / median time */
  double median_ms;
} gf_kernel;

typedef struct gf_kernel_table {
  uint32_t magic;
  uint32_t version;
  uint32_t struct_size;
  uint32_t kernel_size; /* sizeof(gf_kernel): the stride of kernels */
  const char* library;
  const char* variant;
  const char* dtype;
  float slope;
  float alpha;
  float limit;
  float up_offset;
  int32_t gated;
  int32_t has_bias;
  int64_t d_model; /* 0: any */
  int64_t d_ff;    /* 0: any */
  int32_t generator_version;
  int32_t kernel_count;
  const char* halide_version;
  const gf_kernel* kernels; /* by target from the lowest up, then by rows */
  const char* act_dtype;    /* of x, residual and y: dtype, or "f32" */
  int32_t has_residual;     /* kernels add a residual of the shape and dtype of y */
  const char* accumulate;   /* of the sums: "f32", or "f16" where dtype and act_dtype are */
} gf_kernel_table;

#ifdef __cplusplus
}
#endif
#endif
