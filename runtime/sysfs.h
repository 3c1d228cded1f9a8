#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

// What Linux says of CPUs under /sys/devices/system/cpu. Its files come from firmware and
// hypervisors: what is missing or makes no sense is as if it were not there.
namespace gatefold {

/// "" if the file cannot be read.
std::string first_line(const std::filesystem::path& file);

int64_t parse_size(std::string_view text);               ///< "512K" in bytes; 0: no size
int parse_count(std::string_view text);                  ///< 0: no number
std::vector<int> parse_cpu_list(std::string_view text);  ///< "0-3,8"; what is no number is left out

std::filesystem::path cpu_folder(int cpu);

/// Of these CPUs one of the fastest, by the capacity that the kernel gives each kind of core where
/// they differ; the first where it gives none. -1: no CPUs.
int fastest_cpu(const std::filesystem::path& cpus_folder, const std::vector<int>& cpus);

}  // namespace gatefold
