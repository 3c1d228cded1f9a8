#include "runtime/sysfs.h"

#include <algorithm>
#include <charconv>
#include <fstream>

namespace gatefold {
namespace {

constexpr const char* kCpus = "/sys/devices/system/cpu";
constexpr int kMostCpus = 1 << 16;

/// The number that `text` begins with, which is cut off; -1 if there is none.
int64_t take_number(std::string_view& text) {
  int64_t value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < 0) return -1;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return value;
}

void add_range(std::string_view text, std::vector<int>& cpus) {
  const int64_t first = take_number(text);
  int64_t last = first;
  if (text.starts_with('-')) {
    text.remove_prefix(1);
    last = take_number(text);
  }
  if (first < 0 || last >= kMostCpus) return;
  for (int64_t cpu = first; cpu <= last; ++cpu) cpus.push_back(static_cast<int>(cpu));
}

}  // namespace

std::string first_line(const std::filesystem::path& file) {
  std::string line;
  std::ifstream stream(file);
  std::getline(stream, line);
  return line;
}

int64_t parse_size(std::string_view text) {
  constexpr int64_t kLargest = int64_t{1} << 20;  // before its unit
  const int64_t value = take_number(text);
  if (value < 0 || value > kLargest) return 0;
  if (text == "K") return value << 10;
  if (text == "M") return value << 20;
  return text.empty() ? value : 0;
}

int parse_count(std::string_view text) {
  return static_cast<int>(std::clamp<int64_t>(take_number(text), 0, kMostCpus));
}

std::vector<int> parse_cpu_list(std::string_view text) {
  std::vector<int> cpus;
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    add_range(text.substr(0, end), cpus);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return cpus;
}

std::filesystem::path cpu_folder(int cpu) {
  return std::filesystem::path(kCpus) / ("cpu" + std::to_string(cpu));
}

int fastest_cpu(const std::filesystem::path& cpus_folder, const std::vector<int>& cpus) {
  int best = -1, most = -1;
  for (const int cpu : cpus) {
    const auto folder = cpus_folder / ("cpu" + std::to_string(cpu));
    const int capacity = parse_count(first_line(folder / "cpu_capacity"));
    if (capacity > most) best = cpu, most = capacity;
    if (most == 0) break;  // the kernel gives one to all or to none
  }
  return best;
}

}  // namespace gatefold
