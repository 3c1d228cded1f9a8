// Two users of Halide in one process must not meet: the application's handlers see its own pipeline
// and nothing of gatefold's kernels.
#include <atomic>
#include <exception>

#include "HalideBuffer.h"
#include "HalideRuntime.h"
#include "block.h"
#include "mlp.h"
#include "own_pipeline.h"

namespace {

std::atomic<int> parallel_loops = 0, allocations = 0, errors = 0;

int count_par_for(void* context, halide_task_t task, int min, int size, uint8_t* closure) {
  ++parallel_loops;
  return halide_default_do_par_for(context, task, min, size, closure);
}

void* count_malloc(void* context, size_t bytes) {
  ++allocations;
  return halide_default_malloc(context, bytes);
}

void count_error(void*, const char*) { ++errors; }

/// out(x, y) = 2 in(x) + y
bool own_pipeline_right() {
  constexpr int kWidth = 1000, kHeight = 16;
  Halide::Runtime::Buffer<float> in(kWidth), out(kWidth, kHeight);
  in.for_each_element([&](int x) { in(x) = float(x); });
  if (own_pipeline(in, out) != 0) return false;
  bool right = true;
  out.for_each_element([&](int x, int y) { right &= out(x, y) == 2.0f * float(x) + float(y); });
  return right;
}

/// The application's own error must reach its own handler.
bool own_error_seen() {
  Halide::Runtime::Buffer<float> in(10), out(1000, 16);
  return own_pipeline(in, out) != 0 && errors > 0;
}

int check(bool ok, const char* what) {
  std::printf("%s: %s\n", what, ok ? "yes" : "NO");
  return ok ? 0 : 1;
}

int run() {
  halide_set_custom_do_par_for(count_par_for);
  halide_set_custom_malloc(count_malloc);
  halide_set_error_handler(count_error);
  Block block(gatefold::Library::link(mlp_kernels()));
  int wrong = check(block.right(33) && block.right(1), "generated kernels are right");
  wrong += check(parallel_loops == 0 && allocations == 0 && errors == 0,
                 "they leave the application's runtime alone");
  wrong += check(own_pipeline_right(), "the own pipeline is right");
  wrong += check(parallel_loops > 0 && allocations > 0, "it runs on the application's runtime");
  wrong += check(own_error_seen(), "its errors reach the application's handler");
  const int loops = parallel_loops;
  wrong +=
      check(block.right(33) && parallel_loops == loops, "generated kernels are right afterwards");
  halide_shutdown_thread_pool();
  wrong += check(block.right(33), "and without the application's thread pool");
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const std::exception& e) {
    std::printf("%s\n", e.what());
    return 1;
  }
}
