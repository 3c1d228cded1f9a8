// What a program sees of CUDA: started by loading_test.cpp with other drivers to be found. Prints
// whether CUDA is usable, runs a block on the CPU, says whether a driver is loaded by then, and
// asks for a block on CUDA.
#include <dlfcn.h>

#include <cstdio>

#include "runtime/cuda/device.h"
#include "tests/cuda_runtime/device_block.h"

using namespace gatefold;

namespace {

bool driver_is_loaded() {
  for (const char* name : {"libcuda.so.1", "libcuda.so"})
    if (dlopen(name, RTLD_NOW | RTLD_NOLOAD)) return true;
  return false;
}

}  // namespace

int main() {
  const test::DeviceBlock d;
  gf_ffn* ffn = nullptr;
  gf_status status = d.create(&ffn, "host");
  if (status == GF_OK) {
    Ffn block = d.make("host");
    std::printf("cpu: %s, %s\n", block.report().isa,
                d.run_and_compare(block, 3).worst <= 1 ? "right" : "wrong");
  }
  gf_ffn_destroy(ffn);
  std::printf("loaded: %s\n", driver_is_loaded() ? "yes" : "no");
  const cuda::Availability a = cuda::availability();
  std::printf("usable: %s\nreason: %s\nversion: %d\n", a.usable ? "yes" : "no", a.reason,
              a.driver_version);
  status = d.create(&ffn, "cuda");
  std::printf("forced: %s: %s\n", gf_status_name(status), status == GF_OK ? "" : gf_last_error());
  gf_ffn_destroy(ffn);
  return 0;
}
