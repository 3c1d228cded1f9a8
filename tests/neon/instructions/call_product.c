/* Calls the emitted function once: `program X W Y BYTES` reads the files X and W into its inputs
 * and writes BYTES of its output to Y. */
#include <HalideRuntime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int product(struct halide_buffer_t* x, struct halide_buffer_t* w, struct halide_buffer_t* y);

enum { kMost = 1 << 20 };
static _Alignas(64) uint8_t data[3][kMost];

/* The function knows all sizes: it looks at the pointers only. */
static halide_dimension_t nothing[4];

static void describe(struct halide_buffer_t* buffer, int index) {
  memset(buffer, 0, sizeof *buffer);
  buffer->host = data[index];
  buffer->dimensions = 4;
  buffer->dim = nothing;
}

static int read_file(const char* path, uint8_t* out) {
  FILE* file = fopen(path, "rb");
  if (!file) return 0;
  const size_t got = fread(out, 1, kMost, file);
  fclose(file);
  return got > 0;
}

int main(int argc, char** argv) {
  if (argc != 5 || !read_file(argv[1], data[0]) || !read_file(argv[2], data[1])) return 2;
  struct halide_buffer_t x, w, y;
  describe(&x, 0), describe(&w, 1), describe(&y, 2);
  memset(data[2], 0xee, kMost);
  if (product(&x, &w, &y) != 0) return 3;
  FILE* file = fopen(argv[3], "wb");
  if (!file) return 4;
  const size_t bytes = strtoul(argv[4], 0, 10);
  const size_t put = fwrite(data[2], 1, bytes, file);
  return fclose(file) == 0 && put == bytes ? 0 : 5;
}
