#pragma once

namespace gatefold {

/// C text of a halide_buffer_t, for sources that know no Halide: both kinds of kernels for a device
/// are called with such buffers. Wants <stdint.h>.
inline constexpr const char* kDeviceBufferText = R"(
/* As halide_buffer_t of HalideRuntime.h. */
typedef struct device_buffer {
  uint64_t device;
  const void *device_interface;
  uint8_t *host;
  uint64_t flags;
  struct {
    uint8_t code, bits;
    uint16_t lanes;
  } type;
  int32_t dimensions;
  struct {
    int32_t min, extent, stride;
    uint32_t flags;
  } *dim;
  void *padding;
} device_buffer;
)";

}  // namespace gatefold
