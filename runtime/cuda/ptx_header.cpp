#include "runtime/cuda/ptx_header.h"

#include <algorithm>
#include <charconv>

namespace gatefold::cuda {
namespace {

constexpr std::string_view kSpaces = " \t";

/// The line without its comment and the spaces around.
std::string_view trimmed(std::string_view line) {
  line = line.substr(0, line.find("//"));
  line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
  return line;
}

/// The word behind a directive that begins a line; empty: another line.
std::string_view operand(std::string_view line, std::string_view directive) {
  if (!line.starts_with(directive)) return {};
  line.remove_prefix(directive.size());
  const size_t begin = line.find_first_not_of(kSpaces);
  if (begin == 0 || begin == line.npos) return {};
  line.remove_prefix(begin);
  return line.substr(0, line.find_first_of(" \t\r,;"));
}

}  // namespace

PtxHeader ptx_header(const gf_module& module) {
  PtxHeader header;
  std::string_view text(module.ptx, module.bytes);
  while (!text.empty() && (header.version == "?" || header.target == "?")) {
    const std::string_view line = trimmed(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    if (const auto version = operand(line, ".version"); !version.empty()) header.version = version;
    if (const auto target = operand(line, ".target"); !target.empty()) header.target = target;
  }
  return header;
}

int cuda_version_for(std::string_view ptx_version) {
  int major = 0, minor = 0;
  const char* end = ptx_version.data() + ptx_version.size();
  const auto [dot, error] = std::from_chars(ptx_version.data(), end, major);
  if (error != std::errc() || dot == end || *dot != '.') return 0;
  if (std::from_chars(dot + 1, end, minor).ec != std::errc()) return 0;
  // The table of releases in the PTX ISA document: 7.x came with CUDA 11.x, 8.0 to 8.5 with 12.0 to
  // 12.5, 8.6 with 12.7 and so on to 8.8, 9.x with 13.x. 6.x and older: any driver reads it.
  if (major == 8 && minor >= 6) return 12000 + 10 * (minor + 1);
  if (major >= 7 && major <= 9) return 1000 * (major + 4) + 10 * minor;
  return 0;
}

}  // namespace gatefold::cuda
