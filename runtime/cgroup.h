#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gatefold {

/// CPUs of a quota, rounded up; none where there is no limit (quota -1) or the numbers are bad.
std::optional<int> cpus_of_quota(int64_t quota, int64_t period);

/// Of the text of cgroup v2's cpu.max: "400000 100000" is 4, "max 100000" none.
std::optional<int> parse_cpu_max(std::string_view text);

/// The tightest CPU quota of this process's control group and all its parents, v1 and v2; none
/// without a limit. `root` stands before /proc and the mount points, for tests.
std::optional<int> cgroup_cpus(const std::string& root = {});

}  // namespace gatefold
