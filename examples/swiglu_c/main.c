/* A SwiGLU block with random weights: create it, run three rows, compare with the formula written
 * out as loops, print the report. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "gatefold/gatefold.h"
#include "mlp.h" /* generated; see CMakeLists.txt */

enum { ROWS = 3, D_MODEL = 128, D_FF = 341 };

static float gate[D_FF * D_MODEL], up[D_FF * D_MODEL], down[D_MODEL * D_FF];
static float x[ROWS * D_MODEL], y[ROWS * D_MODEL];

static void fill(float* values, int count) {
  for (int i = 0; i < count; ++i) values[i] = (float)(rand() % 2001 - 1000) / 5000.0f;
}

static double dot(const float* a, const float* b, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += (double)a[i] * b[i];
  return sum;
}

/* y[row][column] = sum over j of silu(gate_j . x) * (up_j . x) * down[column][j] */
static double expected(int row, int column) {
  const float* in = x + row * D_MODEL;
  double sum = 0;
  for (int j = 0; j < D_FF; ++j) {
    const double g = dot(gate + j * D_MODEL, in, D_MODEL);
    const double h = g / (1 + exp(-g)) * dot(up + j * D_MODEL, in, D_MODEL);
    sum += h * down[column * D_FF + j];
  }
  return sum;
}

static void check(gf_status status, const char* what) {
  if (status == GF_OK) return;
  fprintf(stderr, "%s: %s: %s\n", what, gf_status_name(status), gf_last_error());
  exit(1);
}

static gf_tensor matrix(const float* data, int rows, int cols) {
  const gf_tensor tensor = {.data = data, .rows = rows, .cols = cols, .dtype = GF_F32};
  return tensor;
}

static gf_rows rows_of(float* data) {
  const gf_rows rows = {
      .struct_size = sizeof rows, .dtype = GF_F32, .data = data, .rows = ROWS, .cols = D_MODEL};
  return rows;
}

/* The number of wrong values. */
static int compare(void) {
  double worst = 0;
  int wrong = 0;
  for (int row = 0; row < ROWS; ++row) {
    for (int column = 0; column < D_MODEL; ++column) {
      const double wanted = expected(row, column);
      const double error = fabs(y[row * D_MODEL + column] - wanted);
      if (!(error <= 1e-5)) ++wrong; /* a NaN is wrong, too */
      worst = fmax(worst, error);
      if (column == 0) printf("y[%d][0] = %9.6f, loops %9.6f\n", row, y[row * D_MODEL], wanted);
    }
  }
  printf("%d of %d values are off by more than 1e-5, the largest difference is %.1e\n", wrong,
         ROWS * D_MODEL, worst);
  return wrong;
}

static void print_report(const gf_ffn* ffn) {
  gf_report r = {.struct_size = sizeof r};
  check(gf_ffn_report(ffn, &r), "gf_ffn_report");
  printf("kernel %s\n  on %s, %d threads, match %s\n  schedule %s (%s)\n", r.kernel, r.isa,
         r.threads, r.match, r.point, r.origin);
}

int main(void) {
  fill(gate, D_FF * D_MODEL);
  fill(up, D_FF * D_MODEL);
  fill(down, D_MODEL * D_FF);
  fill(x, ROWS * D_MODEL);

  gf_library* library = NULL;
  check(gf_library_link(mlp_kernels(), &library), "gf_library_link");
  const gf_ffn_desc desc = {.struct_size = sizeof desc, .d_model = D_MODEL, .d_ff = D_FF};
  const gf_ffn_weights weights = {.struct_size = sizeof weights,
                                  .gate = matrix(gate, D_FF, D_MODEL),
                                  .up = matrix(up, D_FF, D_MODEL),
                                  .down = matrix(down, D_MODEL, D_FF)};
  gf_ffn* ffn = NULL;
  check(gf_ffn_create(library, &desc, &weights, NULL, &ffn), "gf_ffn_create");

  const gf_rows in = rows_of(x), out = rows_of(y);
  check(gf_ffn_run(ffn, &in, &out), "gf_ffn_run");
  print_report(ffn);
  const int wrong = compare();
  gf_ffn_destroy(ffn);
  gf_library_close(library);
  return wrong ? 1 : 0;
}
