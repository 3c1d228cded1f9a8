#include "tuning/gpu_resources.h"

#include <algorithm>
#include <charconv>

#include "spec/error.h"

namespace gatefold {
namespace {

constexpr std::string_view kEntry = "Compiling entry function '";
constexpr std::string_view kOfFunction = "Function properties for ";

/// The number right before `words`; 0 if they are not there.
int64_t number_before(std::string_view line, std::string_view words) {
  const size_t end = line.find(words);
  if (end == std::string_view::npos) return 0;
  size_t begin = end;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  int64_t value = 0;
  std::from_chars(line.data() + begin, line.data() + end, value);
  return value;
}

void add_properties(std::string_view line, EntryResources& entry) {
  entry.stack_bytes += number_before(line, " bytes stack frame");
  entry.spill_bytes +=
      number_before(line, " bytes spill stores") + number_before(line, " bytes spill loads");
  entry.registers = std::max(entry.registers, int(number_before(line, " registers")));
  entry.shared_bytes += number_before(line, " bytes smem");
}

std::string_view next_line(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

}  // namespace

std::vector<EntryResources> parse_ptxas(std::string_view text) {
  std::vector<EntryResources> entries;
  bool of_entry = false;  // functions that an entry calls have properties of their own
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    if (const size_t at = line.find(kEntry); at != std::string_view::npos) {
      const std::string_view name = line.substr(at + kEntry.size());
      entries.push_back({std::string(name.substr(0, name.find('\'')))});
      of_entry = true;
    } else if (const size_t of = line.find(kOfFunction); of != std::string_view::npos) {
      of_entry = !entries.empty() && line.substr(of + kOfFunction.size()) == entries.back().name;
    } else if (of_entry) {
      add_properties(line, entries.back());
    }
  }
  for (const EntryResources& entry : entries) {
    if (entry.registers == 0) fail("ptxas: no count of registers for '" + entry.name + "'");
  }
  return entries;
}

std::optional<std::string> why_refused(const EntryResources& e) {
  const std::string with = " with " + std::to_string(e.registers) + " registers";
  if (e.spill_bytes > 0) {
    return e.name + ": spills " + std::to_string(e.spill_bytes) + " bytes" + with + ", wanted none";
  }
  if (e.stack_bytes > 0) {
    return e.name + ": a stack of " + std::to_string(e.stack_bytes) + " bytes" + with +
           ", wanted none";
  }
  return {};
}

std::vector<EntryResources> entries_of(const std::vector<GpuLaunch>& launches,
                                       const std::vector<EntryResources>& entries) {
  std::vector<EntryResources> in_order;
  for (const GpuLaunch& launch : launches) {
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const auto& e) {
      return e.name.find(launch.entry) != std::string::npos;
    });
    if (found == entries.end()) fail("ptxas: no entry of '" + launch.name + "'");
    in_order.push_back(*found);
  }
  return in_order;
}

}  // namespace gatefold
