/* gatefold runtime: runs generated feed-forward kernels.
 *
 *   u = W_up x + b_up
 *   g = W_gate x + b_gate
 *   dense:  h = act(u)
 *   gated:  h = act(min(g, limit)) * (clamp(u, -limit, limit) + up_offset)
 *   y = W_down h + b_down, or with a residual: y = r + (W_down h + b_down)
 *
 * x is one row of d_model values, h has d_ff values, y d_model values. Weights have PyTorch's
 * layout [out, in], row-major: gate and up [d_ff, d_model], down [d_model, d_ff]. limit (0: none)
 * and up_offset are the table's; of the variants only swiglu_oai has them unless asked for.
 * d_model and d_ff are 1 to 2^20 each, and a packed matrix at most 2^31 - 1 elements (pairs where
 * bf16 is packed in pairs), padding included. At most 1024 threads run a block.
 *
 * Nothing here prints, aborts or throws. Every call that can fail returns a status; the message of
 * the last failure on this thread is gf_last_error(). Sizes count elements unless a name says
 * bytes. A struct's struct_size must be sizeof of that struct as the caller compiled it.
 * gf_last_error() is only meaningful after a failure.
 *
 * Numbers: sums are f32; of a library that says so (`accumulate`) short blocks of products are
 * added up in f16 before. A row's outputs depend on no other row: a NaN or infinity reaches the
 * outputs of its own row only, one of the residual only the output in its own place. The residual
 * is added to the finished f32 sum, and that result is rounded to y's type, once. NaN stays NaN;
 * for infinities the activations take their limits (silu and gelu of -inf are 0 or -0, of +inf are
 * +inf). The bits of a row are the same for any thread count and any other rows of the call;
 * another row bucket is another kernel and may round differently. bf16 products on x86-avx512-bf16
 * take denormals as 0 and flush denormal sums to 0: the instruction does. All other arithmetic
 * keeps them.
 *
 * Threads: libraries and blocks may be opened, created, reported on, closed and destroyed from any
 * thread, and different ones at once. One block may be run and reported on by several threads at
 * once; destroying it, or closing its library, must wait until they are done. A report that is
 * made while calls run may mix figures of several of them; kernel and rows are of one.
 *
 * Processes: after fork() the child uses its copies of the blocks and starts workers of its own;
 * what calls of other threads had in use at that moment is lost to it. A module that holds this
 * runtime may be unloaded (dlclose) when its blocks are destroyed and no call is running: the
 * workers are joined.
 *
 * CUDA: kernels for "cuda-sm80" and the like run only where they are asked for, by gf_options.isa
 * or GATEFOLD_ISA: otherwise a library's kernels for the CPU do, whose memory x and y usually are
 * in. The driver is found when it is first needed (libcuda.so.1, then libcuda.so); without one
 * everything else works. A block for CUDA lives in the primary context of its device, which is that
 * of the CUDA runtime and of PyTorch. Each call leaves the calling thread's context stack as it
 * was, in failure too. Of what is said of processes, forking does not hold: CUDA does not survive
 * it.
 *
 * Environment: GATEFOLD_ISA (the target to use, e.g. x86-avx2) and GATEFOLD_THREADS. */
#ifndef GATEFOLD_GATEFOLD_H
#define GATEFOLD_GATEFOLD_H

#include <stddef.h>
#include <stdint.h>

#include "gatefold/kernel_table.h"

#if defined(__GNUC__)
#define GF_API __attribute__((visibility("default")))
#else
#define GF_API
#endif

/* In C++ every value of the underlying type is a value of the enum, so that a wrong one from a C
 * caller can be looked at and refused. */
#ifdef __cplusplus
#define GF_ENUM_INT : int
extern "C" {
#else
#define GF_ENUM_INT
#endif

#define GF_VERSION_MAJOR 0
#define GF_VERSION_MINOR 1
#define GF_VERSION_PATCH 0

GF_API const char* gf_version(void); /* of the linked runtime, "0.1.0" */

typedef enum gf_status GF_ENUM_INT {
  GF_OK = 0,
  GF_INVALID_ARGUMENT = 1, /* a null pointer, a bad struct_size or value */
  GF_SHAPE_MISMATCH = 2,   /* sizes that do not fit each other; both numbers are in the message */
  GF_DTYPE_MISMATCH = 3,
  GF_OVERLAP = 4,     /* x and y share memory, or residual and y only some of theirs */
  GF_UNAVAILABLE = 5, /* no kernel that this machine can run; the message says what is missing */
  GF_BAD_LIBRARY = 6, /* not a gatefold library, or of another table version */
  GF_OUT_OF_MEMORY = 7,
  GF_KERNEL_FAILED = 8,
  GF_PARALLEL_FOR_FAILED = 9, /* the caller's pool; the message says how */
  GF_BAD_PACKED_WEIGHTS = 10, /* not packed weights, or packed for another block */
  GF_DEVICE_FAILED = 11       /* the CUDA driver; the message has its function and its error */
} gf_status;

typedef enum gf_dtype GF_ENUM_INT { GF_F32 = 0, GF_BF16 = 1, GF_F16 = 2 } gf_dtype;

/* How a fused gate/up tensor [2 * d_ff, d_model] is ordered. There is no default. */
typedef enum gf_gate_order GF_ENUM_INT {
  GF_ORDER_NONE = 0,
  GF_GATE_FIRST = 1,  /* all gate rows, then all up rows */
  GF_UP_FIRST = 2,    /* all up rows, then all gate rows */
  GF_INTERLEAVED = 3, /* gate 0, up 0, gate 1, up 1, … */
} gf_gate_order;

/* A matrix or vector of the caller's; only read during gf_ffn_create. data may be unaligned.
 * f16 is accepted for weights and biases and converted. */
typedef struct gf_tensor {
  const void* data;
  int64_t rows;       /* out; of a vector: its length */
  int64_t cols;       /* in; of a vector: 1 */
  int64_t row_stride; /* 0: dense; of a vector: between its values */
  gf_dtype dtype;
  int32_t transposed; /* 1: stored [in, out] (rows = in, cols = out) */
} gf_tensor;

typedef struct gf_ffn_desc {
  uint32_t struct_size;
  int64_t d_model;
  int64_t d_ff;
  const char* variant; /* NULL, or a name that must be the library's */
} gf_ffn_desc;

/* Dense: up, down. Gated: gate and up, or gate_up with its order; and down. Absent tensors have
 * data NULL. Biases exactly where the library was generated with them; one left out is zero. */
typedef struct gf_ffn_weights {
  uint32_t struct_size;
  gf_gate_order order;
  gf_tensor gate, up, gate_up, down;
  gf_tensor gate_bias, up_bias, gate_up_bias, down_bias;
} gf_ffn_weights;

typedef void (*gf_task)(void* task_context, int index);

/* A loop on the caller's thread pool. Calls task(task_context, i) exactly once for each
 * 0 <= i < count, on any threads, in any order, at once or one after the other, and returns 0 when
 * all of these calls have returned. A value other than 0 says that it could not; then too no task
 * may still be running or begin later. It must not throw, and may be called by several threads at
 * once: by each gf_ffn_run, from the thread that called that. Tasks call no parallel_for, never
 * wait for each other, and leave the thread's floating-point environment as it was. */
typedef int (*gf_parallel_for)(void* context, int count, gf_task task, void* task_context);

typedef struct gf_options {
  uint32_t struct_size;
  int32_t threads; /* 0: GATEFOLD_THREADS, else min(affinity, cgroup quota) */
  /* NULL: GATEFOLD_ISA, else "host": the best that this CPU runs. "cuda": the best of the library's
   * targets for CUDA that the device runs. */
  const char* isa;
  /* NULL: the runtime's own threads. Otherwise all loops of the block run through it, packing too,
   * with at most `threads` tasks each, and no thread is started for the block. It must stay valid
   * until gf_ffn_destroy. A caller's struct that ends before this means NULL. */
  gf_parallel_for parallel_for;
  void* parallel_for_context;
  int32_t cuda_device; /* of a block for CUDA: which device, counted as the driver does */
  int32_t reserved;    /* 0 */
} gf_options;

/* Rows of x, a residual or y: element (row, column) at data + row * row_stride + column, in the
 * library's act_dtype, aligned to that element and no more. rows may be 0, then data may be NULL.
 */
typedef struct gf_rows {
  uint32_t struct_size;
  gf_dtype dtype;
  void* data;
  int64_t rows;
  int64_t cols;       /* d_model */
  int64_t row_stride; /* 0: dense; never between 1 and cols - 1 */
} gf_rows;

/* What the last call used, and what is known of it. Strings live as long as the library. */
typedef struct gf_report {
  uint32_t struct_size;
  int32_t threads;
  const char* kernel;
  const char* isa;
  const char* point;
  const char* origin;
  /* "nearest": no bucket holds the rows; "lower_isa": the library has a better target than this CPU
   * runs; "any": kernel for any shape; else "exact". The first that applies. */
  const char* match;
  const char* runner_up;
  double margin_pct;      /* NaN: not known */
  double efficiency;      /* tuned figure; NaN: not known */
  double tuned_median_ms; /* tuned figure; NaN: not known */
  double first_call_ms;   /* first call of the last row bucket; NaN: none yet */
  double last_call_ms;    /* NaN: none yet */
  int64_t calls;
  int64_t rows;                /* of the last call */
  int64_t packed_weight_bytes; /* of the memory that holds them: padding and whole pages count */
  int64_t workspace_bytes;
  /* Of blocks for CUDA: from the begin of the last call's first kernel to the end of its last one,
   * by the device's clock. NaN: not known, as after gf_ffn_run_cuda, whose last_call_ms is the time
   * it took to enqueue. A caller's struct that ends before this is filled up to its end. */
  double device_ms;
} gf_report;

typedef struct gf_library gf_library;
typedef struct gf_ffn gf_ffn;

/* Opens a generated shared library; its exported table is checked. */
GF_API gf_status gf_library_open(const char* so_path, gf_library** out);

/* Takes the table of a library linked in statically: NAME_kernels(). */
GF_API gf_status gf_library_link(const gf_kernel_table* table, gf_library** out);

/* The library's table, valid until gf_library_close. */
GF_API const gf_kernel_table* gf_library_table(const gf_library* library);

/* Blocks created from the library must be destroyed before. NULL is allowed. */
GF_API void gf_library_close(gf_library* library);

/* Packs the weights (on all threads; one copy for all row counts) and picks the kernels. The
 * caller's tensors are not needed afterwards. options may be NULL, here and below. */
GF_API gf_status gf_ffn_create(const gf_library* library, const gf_ffn_desc* desc,
                               const gf_ffn_weights* weights, const gf_options* options,
                               gf_ffn** out);

/* y = FFN(x) for x->rows rows. Re-entrant: several threads may run one block at once. x and y must
 * not overlap. Allocates nothing once a row bucket was called with as many rows at this level of
 * concurrency. Kernels run in the standard floating-point environment on all threads (nearest-even,
 * no traps, denormals kept but for what is said of bf16 above); the caller's is back afterwards.
 * Long calls are cut into pieces. On failure y is untouched, unless the status is GF_KERNEL_FAILED,
 * GF_OUT_OF_MEMORY or GF_DEVICE_FAILED: then any part of its rows may have been written. */
GF_API gf_status gf_ffn_run(gf_ffn* ffn, const gf_rows* x, const gf_rows* y);

/* y = residual + FFN(x), for blocks of libraries that were generated with a residual; those are run
 * by this function only, all others only by gf_ffn_run, whose terms hold here too. residual has the
 * rows, columns and dtype of y. It may be y (same data and row_stride: the block is added to what
 * is there), and it may be or overlap x; it must not overlap y in part. Where it is y, what
 * GF_KERNEL_FAILED and GF_OUT_OF_MEMORY leave in y is no residual any more. */
GF_API gf_status gf_ffn_run_residual(gf_ffn* ffn, const gf_rows* x, const gf_rows* residual,
                                     const gf_rows* y);

/* gf_ffn_run and gf_ffn_run_residual for x, residual and y in device memory; blocks for CUDA only.
 * residual is NULL unless the library adds one. On a block for CUDA those two take host memory:
 * they copy x to the device and y back, and return when y is there.
 *
 * Memory: of the primary context of the block's device, or mapped there; not checked, and what is
 * no such memory ends the context, as in any kernel. It must stay as it is until the work is done.
 * Rows that begin at multiples of 16 bytes are used where they lie, if d_model is a multiple of the
 * packed layout's step in k (32 or less); others are copied on the device first.
 *
 * Order: the work is enqueued on `stream`, a CUstream of that context (NULL: the default stream).
 * Nothing here waits for it, and the call may be captured into a graph once its row bucket has been
 * called with as many rows on that stream. Errors that the device meets later are the stream's.
 *
 * Workspace: the block keeps one for each stream that it was run on, and for each call at a time on
 * the same stream. A call on a 17th stream waits for the device and takes over the workspace that
 * was unused longest. A stream must not be destroyed while work of a block is pending on it.
 * gf_ffn_destroy waits for the device. */
GF_API gf_status gf_ffn_run_cuda(gf_ffn* ffn, const gf_rows* x, const gf_rows* residual,
                                 const gf_rows* y, void* stream);

/* Packed weights that the caller owns: packed once, kept in a file, mapped by any number of
 * processes. They fit blocks of the same variant, parameters, dtype, sizes, biases, target and
 * packing on a machine of the same byte order; what a buffer was packed for stands in its first
 * bytes and is checked. The target is chosen as for gf_ffn_create: name it in options where the
 * buffer is to serve other machines.
 *
 * A buffer is `bytes` long and aligned to 64 bytes; the same weights give the same bytes. Only
 * the sizes and the first 512 bytes are checked when a block is created, and the weights are not
 * read: a page is loaded when a kernel first needs it. */
GF_API gf_status gf_ffn_packed_bytes(const gf_library* library, const gf_ffn_desc* desc,
                                     const gf_options* options, int64_t* bytes);

/* If the caller's pool fails, gf_ffn_create_packed refuses what the buffer then holds. */
GF_API gf_status gf_ffn_pack(const gf_library* library, const gf_ffn_desc* desc,
                             const gf_ffn_weights* weights, const gf_options* options, void* buffer,
                             int64_t bytes);

/* gf_ffn_create without packing or copying. The buffer is only read, and must stay as it is until
 * gf_ffn_destroy; it may be longer than needed. A block for CUDA copies it to the device and does
 * not need it afterwards. */
GF_API gf_status gf_ffn_create_packed(const gf_library* library, const gf_ffn_desc* desc,
                                      const void* packed, int64_t bytes, const gf_options* options,
                                      gf_ffn** out);

GF_API gf_status gf_ffn_report(const gf_ffn* ffn, gf_report* out);
GF_API void gf_ffn_destroy(gf_ffn* ffn); /* NULL is allowed */

GF_API const char* gf_status_name(gf_status status); /* "GF_OK", …; "unknown status" otherwise */
GF_API const char* gf_last_error(void);              /* of this thread; "" if none */

/* Whether this CPU and operating system can run a target: CPUID and XCR0 on x86, the hardware
 * capabilities that Linux gives a process on arm64. Of "cuda-sm80" and the like: whether there is a
 * CUDA driver and device 0 has that compute capability. Unknown names, other architectures: 0. */
GF_API int gf_isa_usable(const char* target);

/* Threads used when none are asked for: min(affinity, cgroup CPU quota), at least 1. The affinity
 * is the main thread's; where that is one CPU, the one that the process had at start: pinning a
 * thread does not limit the process. */
GF_API int gf_default_threads(void);

#ifdef __cplusplus
}
#endif
#endif
