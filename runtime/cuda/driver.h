#pragma once

#include <cstddef>
#include <cstdint>

#include "gatefold/gatefold.h"

namespace gatefold::cuda {

// The part of cuda.h that is used, so that no CUDA toolkit is needed to build. Values and layouts
// are the driver's stable binary interface.
using Result = int;
using DeviceHandle = int;
using Context = struct OpaqueContext*;
using ModuleHandle = struct OpaqueModule*;
using Function = struct OpaqueFunction*;
using Stream = struct OpaqueStream*;
using Event = struct OpaqueEvent*;
using Address = uint64_t;

inline constexpr Result kSuccess = 0;
inline constexpr Result kErrorOutOfMemory = 2;

enum DeviceAttribute {
  kMaxThreadsPerBlock = 1,
  kMaxGridX = 5,  // y and z follow
  kMaxSharedPerBlock = 8,
  kCapabilityMajor = 75,
  kCapabilityMinor = 76,
  kMaxSharedPerBlockOptIn = 97,
};
enum FunctionAttribute { kStaticShared = 1, kMaxDynamicShared = 8 };
enum JitOption { kErrorLog = 5, kErrorLogBytes = 6 };
enum MemoryType { kHostMemory = 1, kDeviceMemory = 2 };
inline constexpr unsigned kNonBlocking = 1;

/// CUDA_MEMCPY2D: rows of `width` bytes.
struct Copy2D {
  size_t source_x, source_y;
  int source_type;
  const void* source_host;
  Address source_device;
  void* source_array;
  size_t source_pitch;
  size_t target_x, target_y;
  int target_type;
  void* target_host;
  Address target_device;
  void* target_array;
  size_t target_pitch;
  size_t width, height;
};
static_assert(sizeof(Copy2D) == 128);

// Member, symbol, parameters. Symbols are the versions that cuda.h names since CUDA 11.0, of
// streams the ones whose default stream is the legacy one.
#define GATEFOLD_CUDA_CALLS(CALL)                                                                 \
  CALL(get_version, "cuDriverGetVersion", int*)                                                   \
  CALL(get_error_name, "cuGetErrorName", Result, const char**)                                    \
  CALL(get_error_string, "cuGetErrorString", Result, const char**)                                \
  CALL(init, "cuInit", unsigned)                                                                  \
  CALL(device_get_count, "cuDeviceGetCount", int*)                                                \
  CALL(device_get, "cuDeviceGet", DeviceHandle*, int)                                             \
  CALL(device_get_name, "cuDeviceGetName", char*, int, DeviceHandle)                              \
  CALL(device_get_attribute, "cuDeviceGetAttribute", int*, int, DeviceHandle)                     \
  CALL(device_total_memory, "cuDeviceTotalMem_v2", size_t*, DeviceHandle)                         \
  CALL(primary_context_retain, "cuDevicePrimaryCtxRetain", Context*, DeviceHandle)                \
  CALL(primary_context_release, "cuDevicePrimaryCtxRelease_v2", DeviceHandle)                     \
  CALL(context_get_current, "cuCtxGetCurrent", Context*)                                          \
  CALL(context_push, "cuCtxPushCurrent_v2", Context)                                              \
  CALL(context_pop, "cuCtxPopCurrent_v2", Context*)                                               \
  CALL(context_synchronize, "cuCtxSynchronize")                                                   \
  CALL(module_load, "cuModuleLoadDataEx", ModuleHandle*, const void*, unsigned, int*, void**)     \
  CALL(module_unload, "cuModuleUnload", ModuleHandle)                                             \
  CALL(module_get_function, "cuModuleGetFunction", Function*, ModuleHandle, const char*)          \
  CALL(function_get_attribute, "cuFuncGetAttribute", int*, int, Function)                         \
  CALL(function_set_attribute, "cuFuncSetAttribute", Function, int, int)                          \
  CALL(launch, "cuLaunchKernel", Function, unsigned, unsigned, unsigned, unsigned, unsigned,      \
       unsigned, unsigned, Stream, void**, void**)                                                \
  CALL(memory_allocate, "cuMemAlloc_v2", Address*, size_t)                                        \
  CALL(memory_free, "cuMemFree_v2", Address)                                                      \
  CALL(copy_to_device, "cuMemcpyHtoDAsync_v2", Address, const void*, size_t, Stream)              \
  CALL(copy_2d, "cuMemcpy2DAsync_v2", const Copy2D*, Stream)                                      \
  CALL(set_bytes, "cuMemsetD8Async", Address, unsigned char, size_t, Stream)                      \
  CALL(set_bytes_2d, "cuMemsetD2D8Async", Address, size_t, unsigned char, size_t, size_t, Stream) \
  CALL(stream_create, "cuStreamCreate", Stream*, unsigned)                                        \
  CALL(stream_destroy, "cuStreamDestroy_v2", Stream)                                              \
  CALL(stream_synchronize, "cuStreamSynchronize", Stream)                                         \
  CALL(event_create, "cuEventCreate", Event*, unsigned)                                           \
  CALL(event_record, "cuEventRecord", Event, Stream)                                              \
  CALL(event_elapsed, "cuEventElapsedTime", float*, Event, Event)                                 \
  CALL(event_destroy, "cuEventDestroy_v2", Event)

/// One of the driver's functions with its name, for messages.
template <typename... Parameters>
struct DriverCall {
  const char* name = nullptr;
  Result (*function)(Parameters...) = nullptr;

  Result operator()(Parameters... arguments) const { return function(arguments...); }
};

struct Driver {
#define GATEFOLD_CUDA_MEMBER(member, symbol, ...) DriverCall<__VA_ARGS__> member{symbol};
  GATEFOLD_CUDA_CALLS(GATEFOLD_CUDA_MEMBER)
#undef GATEFOLD_CUDA_MEMBER
  int version = 0;  ///< of CUDA: 12040 is 12.4
};

/// The driver, loaded and initialised by the first call in this process and kept; nullptr if it
/// cannot be used, and then driver_failure() says why.
const Driver* driver();
const char* driver_failure();

/// "CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)"
struct ErrorText {
  ErrorText(const Driver& driver, Result result);
  char text[192];
};

/// GF_DEVICE_FAILED, or GF_OUT_OF_MEMORY, with the call's name and the error in the message.
gf_status call_failed(const char* call, Result result);

/// Calls one of the driver's functions.
template <typename... Parameters, typename... Arguments>
gf_status checked(const DriverCall<Parameters...>& call, Arguments... arguments) {
  const Result result = call(arguments...);
  return result == kSuccess ? GF_OK : call_failed(call.name, result);
}

}  // namespace gatefold::cuda
