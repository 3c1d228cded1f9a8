#include "schedules/space.h"

#include "schedules/cpu_space.h"
#include "schedules/cuda_space.h"

namespace gatefold {

std::optional<std::string> why_illegal(const KernelSpec& k) {
  switch (info(k.target).device) {
    case Device::cpu:
      return cpu::why_illegal(k);
    case Device::cuda:
    case Device::opencl:
      return device::why_illegal(k);
  }
  return {};
}

std::vector<Packing> legal_packings(const FfnSpec& ffn, Target target) {
  switch (info(target).device) {
    case Device::cpu:
      return cpu::legal_packings(ffn, target);
    case Device::cuda:
    case Device::opencl:
      return device::legal_packings(ffn);
  }
  return {};
}

std::vector<Axis> axes(const KernelSpec& k) {
  switch (info(k.target).device) {
    case Device::cpu:
      return cpu::axes(k);
    case Device::cuda:
    case Device::opencl:
      return device::axes(k);
  }
  return {};
}

SchedulePoint default_point(const KernelSpec& k, const CpuProfile& profile) {
  switch (info(k.target).device) {
    case Device::cpu:
      return cpu::default_point(k, profile);
    case Device::cuda:
    case Device::opencl:
      return device::default_point(k);
  }
  return {};
}

}  // namespace gatefold
