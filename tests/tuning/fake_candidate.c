/* A candidate library as generate would make it, but in plain C and with behaviours to order: a
 * dense relu block in f32. Compiled by the tests, see fake_candidate.h for the macros. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "gatefold/kernel_table.h"

/* The start of halide_buffer_t and of halide_dimension_t. */
typedef struct dimension {
  int32_t min, extent, stride;
  uint32_t flags;
} dimension;
typedef struct buffer {
  uint64_t device;
  const void* device_interface;
  uint8_t* host;
  uint64_t flags;
  uint8_t code, bits;
  uint16_t lanes;
  int32_t dimensions;
  dimension* dim;
  void* padding;
} buffer;

#ifdef SPILL
/* Never run: a hot loop as a compiler writes one that has run out of registers. */
__asm__(
    ".text\n.type spilling, @function\nspilling:\n"
    "1: vmovups (%rsp), %ymm0\n vfmadd231ps (%rdi), %ymm0, %ymm1\n vmovups %ymm1, 32(%rsp)\n"
    " dec %rcx\n jne 1b\n ret\n");
#endif

static int calls;
static float hidden[D_FF];

/* Weight (out, in) of a matrix that comes in `count` streams. */
static float weight(void** streams, int count, int out, int in) {
  const int panel = out / PANEL;
  const buffer* b = (const buffer*)streams[panel % count];
  const float* data = (const float*)b->host;
  return data[(size_t)(panel / count) * b->dim[3].stride + (size_t)in * b->dim[2].stride +
              (size_t)(out % PANEL) * b->dim[1].stride];
}

static void spend(double seconds) {
  struct timespec now, start;
  clock_gettime(CLOCK_MONOTONIC, &start);
  do {
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - start.tv_sec) + 1e-9 * (now.tv_nsec - start.tv_nsec) < seconds);
}

static void misbehave(void* context, buffer* y) {
  (void)context;
  (void)y;
#if defined(CRASH)
  /* Not address 0: some sandboxes have a page there. */
  *(volatile int*)mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) = 1;
#elif defined(CRASH_LATE)
  if (calls > 2) raise(SIGSEGV);
#elif defined(ILLEGAL)
  __builtin_trap();
#elif defined(ABORT)
  abort();
#elif defined(LEAVE)
  _exit(3);
#elif defined(HANG)
  for (;;) pause();
#elif defined(HANG_WITH_CHILD)
  /* In a session of its own, deaf to SIGTERM, and with all descriptors that this process has. */
  if (fork() == 0) {
    setsid();
    signal(SIGTERM, SIG_IGN);
#ifdef LOG
    close(open(LOG, O_WRONLY | O_CREAT, 0600));
#endif
    for (;;) pause();
  }
  for (;;) calls |= 1;
#elif defined(PRINT)
  printf("{\"reply\":\"measure\",\"candidates\":[]}\n");
  fflush(stdout);
#elif defined(KILLED)
  raise(SIGKILL);
#endif
}

#ifdef LOG
/* "PROCESS BEGIN END", in nanoseconds of the clock that all processes share, one write a line. */
static void log_call(const struct timespec* begin) {
  static int file = -1;
  if (file < 0) file = open(LOG, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  struct timespec end;
  clock_gettime(CLOCK_MONOTONIC, &end);
  char line[96];
  const int size = snprintf(line, sizeof line, "%d %lld %lld\n", (int)getpid(),
                            begin->tv_sec * 1000000000ll + begin->tv_nsec,
                            end.tv_sec * 1000000000ll + end.tv_nsec);
  if (write(file, line, (size_t)size) != size) abort();
}
#endif

static int kernel(void** args) {
  void* context = *(void**)args[0];
  const buffer* x = (const buffer*)args[1];
  void **up = args + 2, **down = args + 2 + STREAMS;
  buffer* y = (buffer*)args[3 + 2 * STREAMS];
  ++calls;
#ifdef LOG
  struct timespec begin;
  clock_gettime(CLOCK_MONOTONIC, &begin);
#endif
  misbehave(context, y);
#if defined(HUGE) || defined(TEN_GB)
  const gf_hooks* hooks = ((const gf_context*)context)->hooks;
#ifdef HUGE
  const size_t wanted = (size_t)1 << 46;
#else
  const size_t wanted = (size_t)10 << 30;
#endif
  void* memory = hooks->allocate(context, wanted);
  if (!memory) return -11;
  memset(memory, 1, wanted);
  hooks->release(context, memory);
#endif
#ifdef LAZY
  if (calls > 2) return 0;
#endif
#ifdef NOTHING
  return 0;
#endif
  for (int row = 0; row < x->dim[1].extent; ++row) {
    const float* in = (const float*)x->host + (size_t)row * x->dim[1].stride;
    float* out = (float*)y->host + (size_t)row * y->dim[1].stride;
    for (int f = 0; f < D_FF; ++f) {
      float sum = 0;
      for (int k = 0; k < D_MODEL; ++k) sum += weight(up, STREAMS, f, k) * in[k];
      hidden[f] = sum < 0 ? 0 : sum; /* NaN stays */
    }
    for (int c = 0; c < D_MODEL; ++c) {
      float sum = 0;
      for (int f = 0; f < D_FF; ++f) sum += weight(down, STREAMS, c, f) * hidden[f];
      out[c] = sum;
    }
#ifdef WRONG_LAST_COLUMN
    out[D_MODEL - 1] += 0.125f;
#endif
#ifdef OVERRUN
    if (row == x->dim[1].extent - 1) out[D_MODEL] = 1;
#endif
#ifdef OVERREAD
    if (row == x->dim[1].extent - 1) (void)*(const volatile float*)(in + D_MODEL);
#endif
#ifdef NOT_A_NUMBER
    out[0] = __builtin_nanf("");
#endif
#ifdef DRIFTING
    out[0] += 1e-7f * calls;
#endif
#ifdef SPOIL_INPUT
    ((float*)x->host)[0] += 1;
#endif
  }
#ifdef SLOWING
  spend(1e-6 * SPEND_US * calls);
#else
  spend(1e-6 * SPEND_US);
#endif
#ifdef LOG
  log_call(&begin);
#endif
  return 0;
}

#define STREAM(matrix, i) \
  { matrix, i, STREAMS, 0 }
static const gf_weight_stream streams[] = {
#if STREAMS == 1
    STREAM(GF_MATRIX_UP, 0),
    STREAM(GF_MATRIX_DOWN, 0),
#elif STREAMS == 2
    STREAM(GF_MATRIX_UP, 0),
    STREAM(GF_MATRIX_UP, 1),
    STREAM(GF_MATRIX_DOWN, 0),
    STREAM(GF_MATRIX_DOWN, 1),
#else
    STREAM(GF_MATRIX_UP, 0),   STREAM(GF_MATRIX_UP, 1),   STREAM(GF_MATRIX_UP, 2),
    STREAM(GF_MATRIX_UP, 3),   STREAM(GF_MATRIX_DOWN, 0), STREAM(GF_MATRIX_DOWN, 1),
    STREAM(GF_MATRIX_DOWN, 2), STREAM(GF_MATRIX_DOWN, 3),
#endif
};

static const gf_kernel kernels[] = {{"fake",
                                     TARGET,
                                     {PANEL, 1, K_STEP, GROUP},
                                     POINT,
                                     "given",
                                     ROWS_MIN,
                                     ROWS_MAX,
                                     0,
                                     2 * STREAMS,
                                     streams,
                                     2,
                                     32,
                                     1,
                                     0,
                                     kernel,
                                     0,
                                     0,
                                     0,
                                     0}};
static const gf_kernel_table table = {GF_KERNEL_TABLE_MAGIC,
                                      GF_KERNEL_TABLE_VERSION,
                                      sizeof(gf_kernel_table),
                                      sizeof(gf_kernel),
                                      "fake",
                                      "relu",
                                      "f32",
                                      0.01f,
                                      1,
                                      0,
                                      0,
                                      0,
                                      0,
                                      D_MODEL,
                                      D_FF,
                                      1,
                                      1,
                                      "21.0.0",
                                      kernels,
                                      "f32",
                                      0,
                                      "f32"};

const gf_kernel_table* gatefold_kernels(void);
const gf_kernel_table* gatefold_kernels(void) { return &table; }
