// own_pipeline_generator PATH: writes PATH.a, with a Halide runtime inside, and PATH.h: the
// pipeline of an application that uses Halide itself.
#include <cstdio>

#include "Halide.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: own_pipeline_generator PATH\n");
    return 2;
  }
  Halide::ImageParam in(Halide::Float(32), 1, "in");
  Halide::Var x("x"), y("y");
  Halide::Func doubled("doubled"), out("out");
  doubled(x) = 2 * in(x);
  out(x, y) = doubled(x) + y;
  doubled.compute_root();  // of unknown size: an allocation
  out.parallel(y);
  out.compile_to_static_library(argv[1], {in}, "own_pipeline", Halide::Target("x86-64-linux"));
  return 0;
}
