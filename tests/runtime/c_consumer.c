/* gatefold.h in plain C11: compiled with -pedantic -Werror, called from c_consumer_test.cpp. */
#include "gatefold/gatefold.h"

int c_consumer_runs(const gf_kernel_table* table, int64_t d, int64_t f, const float* up,
                    const float* down, const float* x, float* y) {
  gf_library* library = NULL;
  if (gf_library_link(table, &library) != GF_OK) return 1;
  gf_ffn_desc desc = {sizeof desc, d, f, "relu"};
  gf_ffn_weights weights = {.struct_size = sizeof weights,
                            .up = {up, f, d, 0, GF_F32, 0},
                            .down = {down, d, f, 0, GF_F32, 0}};
  gf_ffn* ffn = NULL;
  if (gf_ffn_create(library, &desc, &weights, NULL, &ffn) != GF_OK) return 2;
  gf_rows in = {sizeof in, GF_F32, (void*)(uintptr_t)x, 1, d, 0};
  gf_rows out = {sizeof out, GF_F32, y, 1, d, 0};
  gf_status status = gf_ffn_run(ffn, &in, &out);
  gf_report report = {.struct_size = sizeof report};
  gf_status reported = gf_ffn_report(ffn, &report);
  gf_ffn_destroy(ffn);
  gf_library_close(library);
  return status == GF_OK && reported == GF_OK && report.calls == 1 ? 0 : 3;
}
