#include "runtime/cgroup.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <vector>

namespace gatefold {
namespace {

std::string read_text(const std::string& path) {
  std::string text;
  if (FILE* file = std::fopen(path.c_str(), "re")) {
    char block[4096];
    for (size_t n; (n = std::fread(block, 1, sizeof block, file)) > 0;) text.append(block, n);
    std::fclose(file);
  }
  return text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::optional<int64_t> number(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

bool lists(std::string_view commas, std::string_view name) {
  const auto parts = split(commas, ',');
  return std::find(parts.begin(), parts.end(), name) != parts.end();
}

std::optional<int> tighter(std::optional<int> a, std::optional<int> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

/// Path of this process's group in the hierarchy that limits CPU: v2 is the line "0::/path".
std::optional<std::string> group_path(std::string_view proc_self_cgroup, bool v2) {
  for (std::string_view line : split(proc_self_cgroup, '\n')) {
    const size_t first = line.find(':');
    const size_t second = line.find(':', first == line.npos ? line.npos : first + 1);
    if (second == line.npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    if (v2 ? controllers.empty() : lists(controllers, "cpu"))
      return std::string(line.substr(second + 1));
  }
  return {};
}

struct Mount {
  std::string root;  ///< the group that is visible at the mount point
  std::string point;
};

/// mountinfo: "31 23 0:28 /root /point options … - type source super-options".
std::optional<Mount> find_mount(std::string_view mountinfo, bool v2) {
  for (std::string_view line : split(mountinfo, '\n')) {
    const size_t dash = line.find(" - ");
    if (dash == line.npos) continue;
    const auto head = split(line.substr(0, dash), ' ');
    const auto tail = split(line.substr(dash + 3), ' ');
    if (head.size() < 5 || tail.size() < 3) continue;
    if (v2 ? tail[0] == "cgroup2" : tail[0] == "cgroup" && lists(tail[2], "cpu"))
      return Mount{std::string(head[3]), std::string(head[4])};
  }
  return {};
}

/// The group's path below the mount point; the mount point itself where it is not below it, as in
/// a container that sees only its own part of the tree.
std::string below(const Mount& mount, const std::string& path) {
  std::string rest = path;
  if (mount.root != "/") {
    const size_t length = mount.root.size();
    const bool begins = path.compare(0, length, mount.root) == 0;
    const bool inside = begins && (path.size() == length || path[length] == '/');
    rest = inside ? path.substr(mount.root.size()) : "";
  }
  return rest.find("..") != rest.npos || rest == "/" ? "" : rest;
}

std::optional<int> quota_of(const std::string& folder, bool v2) {
  if (v2) return parse_cpu_max(read_text(folder + "/cpu.max"));
  const auto quota = number(read_text(folder + "/cpu.cfs_quota_us"));
  const auto period = number(read_text(folder + "/cpu.cfs_period_us"));
  return quota && period ? cpus_of_quota(*quota, *period) : std::nullopt;
}

std::optional<int> tightest(const std::string& root, bool v2) {
  const auto path = group_path(read_text(root + "/proc/self/cgroup"), v2);
  const auto mount = find_mount(read_text(root + "/proc/self/mountinfo"), v2);
  if (!path || !mount) return {};
  std::optional<int> cpus;
  for (std::string rest = below(*mount, *path);; rest.resize(rest.rfind('/'))) {
    cpus = tighter(cpus, quota_of(root + mount->point + rest, v2));
    if (rest.empty() || rest.rfind('/') == rest.npos) return cpus;
  }
}

}  // namespace

std::optional<int> cpus_of_quota(int64_t quota, int64_t period) {
  if (quota <= 0 || period <= 0) return {};
  const int64_t cpus = quota / period + (quota % period != 0);
  return static_cast<int>(std::min<int64_t>(cpus, 1 << 20));
}

std::optional<int> parse_cpu_max(std::string_view text) {
  const auto words = split(text, ' ');
  if (words.size() != 2) return {};
  const auto quota = number(words[0]);
  const auto period = number(words[1]);
  return quota && period ? cpus_of_quota(*quota, *period) : std::nullopt;
}

std::optional<int> cgroup_cpus(const std::string& root) {
  return tighter(tightest(root, true), tightest(root, false));
}

}  // namespace gatefold
