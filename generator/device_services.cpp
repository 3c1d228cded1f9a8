#include "generator/device_services.h"

#include "generator/device_buffer.h"

namespace gatefold {

// Kernels run in the order of their launches and all data stays on the device, so there is nothing
// to copy and nothing to wait for. A kernel's PTX stands in its object file and Halide hands it
// over at every call; hooks want one address for it that stays, hence the list.
std::string device_services() {
  return std::string(R"(
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
)") + kDeviceBufferText +
         R"(
static const gf_device_hooks *device_of(void *context) {
  const gf_hooks *hooks = hooks_of(context);
  if (!hooks->device) hooks->error(context, "a kernel for CUDA, but the runtime has no device");
  return hooks->device;
}

static gf_module modules[GATEFOLD_DEVICE_KERNELS];
static int module_count;
static atomic_flag modules_lock = ATOMIC_FLAG_INIT;

static gf_module *module_at(const char *ptx) {
  for (int i = 0; i < module_count; ++i) {
    if (modules[i].ptx == ptx) return &modules[i];
  }
  if (module_count == GATEFOLD_DEVICE_KERNELS) return NULL;
  const char *target = strstr(ptx, "\n.target sm_");
  gf_module *module = &modules[module_count++];
  module->ptx = ptx;
  module->bytes = strlen(ptx);
  module->capability = target ? atoi(target + strlen("\n.target sm_")) : 0;
  return module;
}

int halide_cuda_initialize_kernels(void *context, void **state, const char *ptx, int bytes) {
  (void)bytes;
  while (atomic_flag_test_and_set_explicit(&modules_lock, memory_order_acquire)) {
  }
  gf_module *module = module_at(ptx);
  atomic_flag_clear_explicit(&modules_lock, memory_order_release);
  if (!module) {
    hooks_of(context)->error(context, "a kernel for CUDA that is none of this library's");
    return -22; /* halide_error_code_internal_error */
  }
  __atomic_store_n(state, module, __ATOMIC_RELEASE);
  return 0;
}

void halide_cuda_finalize_kernels(void *context, void *state) { (void)context, (void)state; }

int halide_cuda_run(void *context, void *state, const char *entry, int blocks_x, int blocks_y,
                    int blocks_z, int threads_x, int threads_y, int threads_z, int shared_bytes,
                    size_t sizes[], void *args[], int8_t is_buffer[]) {
  enum { kMostArguments = 64 };
  void *params[kMostArguments];
  const gf_device_hooks *device = device_of(context);
  if (!device) return -19; /* halide_error_code_no_device_interface */
  int count = 0;
  for (; sizes[count] != 0; ++count) {
    if (count == kMostArguments) {
      hooks_of(context)->error(context, "a kernel for CUDA with too many arguments");
      return -22; /* halide_error_code_internal_error */
    }
    params[count] = is_buffer[count] ? (void *)&((device_buffer *)args[count])->device : args[count];
  }
  const uint32_t grid[3] = {(uint32_t)blocks_x, (uint32_t)blocks_y, (uint32_t)blocks_z};
  const uint32_t block[3] = {(uint32_t)threads_x, (uint32_t)threads_y, (uint32_t)threads_z};
  return device->launch(context, (const gf_module *)state, entry, grid, block,
                        (uint32_t)shared_bytes, params);
}

const void *halide_cuda_device_interface(void) {
  static const char it = 0;
  return &it;
}

int halide_device_malloc(void *context, device_buffer *buffer, const void *device_interface) {
  if (buffer->device) return 0;
  const gf_device_hooks *device = device_of(context);
  if (!device) return -19; /* halide_error_code_no_device_interface */
  /* Elements up to the last one; kernels count them with 32 bits. */
  int64_t last = 0, all = 1;
  for (int i = 0; i < buffer->dimensions; ++i) {
    const int64_t extent = buffer->dim[i].extent;
    if (extent <= 0) return 0;
    all = all > INT32_MAX ? all : all * extent;
    last += (extent - 1) * buffer->dim[i].stride;
  }
  if (all > INT32_MAX || last >= INT32_MAX) {
    hooks_of(context)->error(context, "more rows than 32-bit sizes hold");
    return -5; /* halide_error_code_buffer_allocation_too_large */
  }
  const size_t bytes = (size_t)(last + 1) * ((buffer->type.bits + 7u) / 8u);
  const int failed = device->allocate(context, bytes, &buffer->device);
  if (!failed) buffer->device_interface = device_interface;
  return failed;
}

int halide_device_free(void *context, device_buffer *buffer) {
  if (buffer && buffer->device) {
    device_of(context)->release(context, buffer->device);
    buffer->device = 0;
    buffer->device_interface = NULL;
  }
  return 0;
}

void halide_device_free_as_destructor(void *context, void *buffer) {
  halide_device_free(context, (device_buffer *)buffer);
}

/* Of x, weights and biases: they are on the device, or this is no call of the runtime's. */
int halide_copy_to_device(void *context, device_buffer *buffer, const void *device_interface) {
  (void)device_interface;
  if (buffer->device) return 0;
  hooks_of(context)->error(context, "an argument of a kernel for CUDA is not on the device");
  return -15; /* halide_error_code_copy_to_device_failed */
}
)";
}

}  // namespace gatefold
