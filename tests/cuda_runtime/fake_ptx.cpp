#include "tests/cuda_runtime/fake_ptx.h"

#include <regex>

namespace gatefold::test {
namespace {

int two_digits(const std::smatch& m) { return 10 * std::stoi(m[1]) + std::stoi(m[2]); }

PtxEntry read_entry(const std::string& name, const std::string& parameters) {
  static const std::regex param(
      R"(\.param\s+(?:\.align\s+\d+\s+)?\.[a-z](\d+)\s+(?:\.(?:ptr|global|align\s+\d+)\s+)*\w+(?:\[(\d+)\])?)");
  PtxEntry entry{name, {}};
  for (std::sregex_iterator p(parameters.begin(), parameters.end(), param), end; p != end; ++p) {
    const size_t count = (*p)[2].matched ? std::stoul((*p)[2]) : 1;
    entry.params.push_back(std::stoul((*p)[1]) / 8 * count);
  }
  return entry;
}

}  // namespace

PtxText read_ptx(const std::string& text) {
  static const std::regex version(R"(\.version\s+(\d+)\.(\d))"), target(R"(\.target\s+sm_(\d+))"),
      shared(R"(\.shared\s+\.align\s+\d+\s+\.b8\s+\w+\[(\d+)\])"),
      entry(R"(\.entry\s+(\w+)\s*\(([^)]*)\))");
  PtxText ptx;
  std::smatch m;
  if (std::regex_search(text, m, version)) ptx.version = two_digits(m);
  if (std::regex_search(text, m, target)) ptx.capability = std::stoi(m[1]);
  if (std::regex_search(text, m, shared)) ptx.shared_bytes = std::stoi(m[1]);
  for (std::sregex_iterator e(text.begin(), text.end(), entry), end; e != end; ++e)
    ptx.entries.push_back(read_entry((*e)[1], (*e)[2]));
  return ptx;
}

}  // namespace gatefold::test
