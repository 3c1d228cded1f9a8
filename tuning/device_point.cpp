#include "tuning/device_point.h"

#include <algorithm>

#include "schedules/space.h"

namespace gatefold {

std::vector<DevicePoint> legal_device_points(const KernelSpec& place) {
  std::vector<DevicePoint> points;
  for (const SchedulePoint& point : legal_points(place)) {
    points.push_back({place, {}});
    points.back().kernel.point = point;
  }
  if (why_no_tensor_cores(place)) return points;
  const int capability = compute_capability(info(place.target).name);
  for (const TensorCorePoint& point : legal_tensor_core_points(place, capability)) {
    points.push_back({place, point});
  }
  return points;
}

void check_point_text(const std::string& text) {
  const bool of_tensor_cores = (" " + text).find(" bm=") != std::string::npos;
  if (of_tensor_cores) {
    parse_tensor_core_point(text);
  } else {
    parse_point(text);
  }
}

std::string code_class(const DevicePoint& point) {
  DevicePoint same = point;
  if (same.tensor_core) {
    same.tensor_core->split_k = std::min(2, same.tensor_core->split_k);
  } else {
    same.kernel.point.slices = std::min(2, same.kernel.point.slices);
  }
  return same.kernel.packing.text() + " " + same.text();
}

}  // namespace gatefold
