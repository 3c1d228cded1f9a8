#include "tests/mlir/ptx_edit.h"

#include <regex>

namespace gatefold::test {
namespace {

struct Part {
  size_t begin, end;
};

/// Where the entry stands in the text.
Part part_of(const std::string& ptx, const std::string& entry) {
  const size_t begin = ptx.find(".entry " + entry + "(");
  if (begin == ptx.npos) return {0, 0};
  return {begin, std::min(ptx.find(".entry ", begin + 1), ptx.size())};
}

const std::vector<KernelParameter>& parameters_of(const TensorCoreKernel& kernel,
                                                  const std::string& entry) {
  if (entry == kernel.hidden.name) return kernel.hidden.parameters;
  return kernel.sum && entry == kernel.sum->name ? kernel.sum->parameters : kernel.down.parameters;
}

}  // namespace

std::string edit(const std::string& ptx, const std::string& entry, const std::string& pattern,
                 const std::string& by, int which) {
  const Part part = part_of(ptx, entry);
  const std::regex expression(pattern);
  const std::string text = ptx.substr(part.begin, part.end - part.begin);
  std::sregex_iterator match(text.begin(), text.end(), expression);
  for (; match != std::sregex_iterator() && which > 0; ++match) --which;
  if (match == std::sregex_iterator()) return ptx;
  const size_t begin = part.begin + size_t(match->position());
  std::string out = ptx;
  return out.replace(begin, size_t(match->length()), match->format(by));
}

int count(const std::string& ptx, const std::string& entry, const std::string& pattern) {
  const Part part = part_of(ptx, entry);
  const std::regex expression(pattern);
  const std::string text = ptx.substr(part.begin, part.end - part.begin);
  return int(std::distance(std::sregex_iterator(text.begin(), text.end(), expression),
                           std::sregex_iterator()));
}

std::string register_of(const std::string& ptx, const std::string& entry, const std::string& name,
                        const TensorCoreKernel& kernel) {
  const auto& parameters = parameters_of(kernel, entry);
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].name != name) continue;
    const std::regex load("ld\\.param[.\\w]*\\s+(%\\w+), \\[" + entry + "_param_" +
                          std::to_string(i) + "\\]");
    std::smatch match;
    if (std::regex_search(ptx, match, load)) return match[1];
  }
  return "";
}

std::string one_more(const std::string& ptx, const std::string& entry, const std::string& limit) {
  const std::string less = "setp\\.lt\\.s32(\\s+%\\w+, %\\w+, " + limit + ";)";
  const std::string not_less = "setp\\.ge\\.s32(\\s+%\\w+, %\\w+, " + limit + ";)";
  std::string out = ptx;
  while (count(out, entry, less)) out = edit(out, entry, less, "setp.le.s32$1");
  while (count(out, entry, not_less)) out = edit(out, entry, not_less, "setp.gt.s32$1");
  return out;
}

}  // namespace gatefold::test
