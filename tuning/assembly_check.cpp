#include "tuning/assembly_check.h"

#include <sstream>

#include "schedules/space.h"
#include "tuning/assembly_syntax.h"
#include "tuning/cost_constants.h"

namespace gatefold {
namespace {

/// One line of a disassembly: "  4f:\tvmovups %ymm0,(%rsp)".
struct Line {
  std::string address, code;
};

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

bool is_hex(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// Nothing for headings and blank lines.
std::optional<Line> instruction_of(const std::string& line) {
  const size_t colon = line.find(":\t");
  if (colon == std::string::npos) return std::nullopt;
  const std::string address = trimmed(line.substr(0, colon));
  if (!is_hex(address)) return std::nullopt;
  return Line{address, trimmed(line.substr(colon + 2))};
}

/// "0000000000000040 <kernel>:" gives "kernel".
std::string function_of(const std::string& line) {
  const size_t open = line.find('<');
  if (line.empty() || line.front() != '0' || open == std::string::npos || line.back() != ':')
    return "";
  return line.substr(open + 1, line.find('>', open) - open - 1);
}

/// The address that "jne    40 <kernel+0x40>" jumps to, and what stands before it. None for
/// anything else, and for jumps to what a register holds.
struct Jump {
  std::string before, address;
};
std::optional<Jump> jump_of(const std::string& code, const AssemblySyntax& syntax) {
  const std::string plain = trimmed(code.substr(0, code.find('<')));
  const std::string address = plain.empty() ? "" : syntax.jump_target(plain);
  if (!is_hex(address)) return std::nullopt;
  return Jump{plain.substr(0, plain.size() - address.size()), address};
}

std::string counted(size_t number, const std::string& what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

std::optional<std::string> spills_or_gathers(const Loop& loop) {
  const std::vector<std::string> stack = loop.spills(), gathers = loop.gathers();
  if (!stack.empty())
    return "hot loop spills: " + counted(stack.size(), "stack reference") + ": " + stack.front();
  if (!gathers.empty())
    return "hot loop gathers: " + counted(gathers.size(), "gather") + ": " + gathers.front();
  return std::nullopt;
}

/// A loop that only prefetches stands in the loop that multiplies, which then is no innermost one
/// and is not seen.
std::optional<std::string> prefetches_by_a_loop(const std::string& assembly, Arch arch) {
  for (const Loop& loop : innermost_loops(assembly, arch)) {
    const std::vector<std::string> prefetches = loop.prefetches();
    if (prefetches.empty() || loop.multiply_adds() + loop.bf16_dots() > 0) continue;
    return "hot loop has a loop of prefetches in it: " + prefetches.front();
  }
  return std::nullopt;
}

/// The tallest legal tile that the rows fill.
int tallest(KernelSpec k) {
  const auto fits = [&] { return k.point.mr < k.rows.tuned_rows; };
  while (fits()) {
    ++k.point.mr;
    if (why_illegal(k)) return k.point.mr - 1;
  }
  return k.point.mr;
}

std::optional<std::string> too_few_accumulators(const KernelSpec& k, const Loop& loop, int wanted) {
  const int has = static_cast<int>(loop.accumulators().size());
  if (k.rows.tuned_rows < kRowsThatCompute || has >= wanted) return std::nullopt;
  const int most = tallest(k);
  if (has * most < wanted * k.point.mr) return std::nullopt;
  return "hot loop has " + counted(has, "accumulator") + ", wanted " + std::to_string(wanted) +
         ": mr=" + std::to_string(most) + " fits";
}

/// One function's lines; addresses are its section's, so others may have the same.
std::string labelled_function(const std::vector<std::string>& lines, const AssemblySyntax& syntax) {
  std::set<std::string> targets;
  for (const std::string& line : lines) {
    const auto i = instruction_of(line);
    if (const auto jump = i ? jump_of(i->code, syntax) : std::nullopt)
      targets.insert(jump->address);
  }
  std::string text;
  for (const std::string& line : lines) {
    const auto i = instruction_of(line);
    if (!i) continue;
    if (targets.count(i->address)) text += ".L" + i->address + ":\n";
    const auto jump = jump_of(i->code, syntax);
    text += "\t" + (jump ? jump->before + ".L" + jump->address : i->code) + "\n";
  }
  return text;
}

}  // namespace

std::string labelled(const std::string& disassembly, Arch arch) {
  const AssemblySyntax& syntax = assembly_syntax(arch);
  std::string text;
  std::vector<std::string> lines;
  std::istringstream stream(disassembly);
  for (std::string line; std::getline(stream, line);) {
    const std::string function = function_of(line);
    if (function.empty()) {
      lines.push_back(line);
      continue;
    }
    text += labelled_function(lines, syntax) + function + ":\n";
    lines.clear();
  }
  return text + labelled_function(lines, syntax);
}

std::optional<std::string> why_refused(const KernelSpec& kernel, const std::string& assembly,
                                       const std::string& core) {
  const int wanted = accumulators_wanted(cost_constants(kernel.target, core));
  const Arch arch = info(kernel.target).arch;
  if (auto reason = prefetches_by_a_loop(assembly, arch)) return reason;
  for (const Loop& loop : hot_loops(assembly, arch)) {
    if (auto reason = spills_or_gathers(loop)) return reason;
    if (auto reason = too_few_accumulators(kernel, loop, wanted)) return reason;
  }
  return std::nullopt;
}

}  // namespace gatefold
