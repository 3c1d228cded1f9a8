#include "runtime/cuda/device.h"

#include <charconv>
#include <cstdio>

#include "runtime/status.h"

namespace gatefold::cuda {
namespace {

gf_status count_devices(const Driver& driver, int* count) {
  const gf_status status = checked(driver.device_get_count, count);
  if (status != GF_OK || *count > 0) return status;
  return failed(GF_UNAVAILABLE, "the CUDA driver sees no device");
}

struct Wanted {
  int attribute;
  int* value;
};

gf_status read_attributes(const Driver& driver, DeviceInfo& info) {
  int major = 0, minor = 0;
  const Wanted all[] = {
      {kCapabilityMajor, &major},
      {kCapabilityMinor, &minor},
      {kMaxThreadsPerBlock, &info.max_threads},
      {kMaxGridX, &info.max_grid[0]},
      {kMaxGridX + 1, &info.max_grid[1]},
      {kMaxGridX + 2, &info.max_grid[2]},
      {kMaxSharedPerBlock, &info.max_shared},
      {kMaxSharedPerBlockOptIn, &info.max_shared_opt_in},
  };
  for (const Wanted& w : all) {
    const gf_status status =
        checked(driver.device_get_attribute, w.value, w.attribute, info.handle);
    if (status != GF_OK) return status;
  }
  info.capability = 10 * major + minor;
  return GF_OK;
}

gf_status read_device(const Driver& driver, int ordinal, DeviceInfo& info) {
  gf_status status = checked(driver.device_get, &info.handle, ordinal);
  if (status == GF_OK) {
    status = checked(driver.device_get_name, info.name, static_cast<int>(sizeof info.name) - 1,
                     info.handle);
  }
  if (status == GF_OK) status = read_attributes(driver, info);
  if (status == GF_OK)
    status = checked(driver.device_total_memory, &info.memory_bytes, info.handle);
  if (status == GF_OK) info.ordinal = ordinal;
  return status;
}

}  // namespace

gf_status find_device(int ordinal, DeviceInfo* info) {
  *info = {};
  const Driver* api = driver();
  if (!api) return failed(GF_UNAVAILABLE, "%s", driver_failure());
  int count = 0;
  if (const gf_status status = count_devices(*api, &count); status != GF_OK) return status;
  if (ordinal < 0 || ordinal >= count) {
    return failed(GF_UNAVAILABLE, "cuda_device: %d, wanted 0 to %d: the driver sees %d", ordinal,
                  count - 1, count);
  }
  return read_device(*api, ordinal, *info);
}

gf_status check_capability(const DeviceInfo& device, int wanted, const char* what) {
  if (device.capability >= wanted) return GF_OK;
  return failed(GF_UNAVAILABLE,
                "%s: CUDA device %d (%s) has compute capability %d.%d, wanted at least %d.%d", what,
                device.ordinal, device.name, device.capability / 10, device.capability % 10,
                wanted / 10, wanted % 10);
}

int capability_of(std::string_view target) {
  constexpr std::string_view kPrefix = "cuda-sm";
  if (!target.starts_with(kPrefix)) return 0;
  int capability = 0;
  const char* end = target.data() + target.size();
  const auto [rest, error] = std::from_chars(target.data() + kPrefix.size(), end, capability);
  return error == std::errc() && rest == end && capability > 0 ? capability : 0;
}

bool target_runs(std::string_view target) {
  const int wanted = capability_of(target);
  DeviceInfo device;
  return wanted > 0 && find_device(0, &device) == GF_OK && device.capability >= wanted;
}

Availability availability() {
  Availability a;
  if (const Driver* api = driver()) {
    a.driver_version = api->version;
    if (api->device_get_count(&a.devices) != kSuccess) a.devices = 0;
  }
  gf_status status = find_device(0, &a.device);
  if (status == GF_OK) status = check_capability(a.device, kLowestCapability, "CUDA");
  a.usable = status == GF_OK;
  if (!a.usable) std::snprintf(a.reason, sizeof a.reason, "%s", gf_last_error());
  return a;
}

}  // namespace gatefold::cuda
