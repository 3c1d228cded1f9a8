#include "tuning/assembly_check.h"

#include <sstream>

#include "schedules/space.h"

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

/// "jne    40 <kernel+0x40>" gives the address 40; empty for anything else.
std::string jumps_to(const std::string& code) {
  if (code.empty() || code.front() != 'j') return "";
  std::istringstream words(code);
  std::string mnemonic, address;
  words >> mnemonic >> address;
  return is_hex(address) ? address : "";
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

/// The tallest legal tile that the rows fill.
int tallest(KernelSpec k) {
  const auto fits = [&] { return k.point.mr < k.rows.tuned_rows; };
  while (fits()) {
    ++k.point.mr;
    if (why_illegal(k)) return k.point.mr - 1;
  }
  return k.point.mr;
}

std::optional<std::string> too_few_accumulators(const KernelSpec& k, const Loop& loop) {
  const int has = static_cast<int>(loop.accumulators().size());
  if (k.rows.tuned_rows < kRowsThatCompute || has >= kAccumulatorsWanted) return std::nullopt;
  const int most = tallest(k);
  if (has * most < kAccumulatorsWanted * k.point.mr) return std::nullopt;
  return "hot loop has " + counted(has, "accumulator") + ", wanted " +
         std::to_string(kAccumulatorsWanted) + ": mr=" + std::to_string(most) + " fits";
}

/// One function's lines; addresses are its section's, so others may have the same.
std::string labelled_function(const std::vector<std::string>& lines) {
  std::set<std::string> targets;
  for (const std::string& line : lines) {
    if (const auto i = instruction_of(line)) targets.insert(jumps_to(i->code));
  }
  std::string text;
  for (const std::string& line : lines) {
    const auto i = instruction_of(line);
    if (!i) continue;
    if (targets.count(i->address)) text += ".L" + i->address + ":\n";
    const std::string target = jumps_to(i->code);
    const std::string jump = i->code.substr(0, i->code.find_first_of(" \t"));
    text += "\t" + (target.empty() ? i->code : jump + "\t.L" + target) + "\n";
  }
  return text;
}

}  // namespace

std::string labelled(const std::string& disassembly) {
  std::string text;
  std::vector<std::string> lines;
  std::istringstream stream(disassembly);
  for (std::string line; std::getline(stream, line);) {
    const std::string function = function_of(line);
    if (function.empty()) {
      lines.push_back(line);
      continue;
    }
    text += labelled_function(lines) + function + ":\n";
    lines.clear();
  }
  return text + labelled_function(lines);
}

std::optional<std::string> why_refused(const KernelSpec& kernel, const std::string& assembly) {
  for (const Loop& loop : hot_loops(assembly)) {
    if (auto reason = spills_or_gathers(loop)) return reason;
    if (auto reason = too_few_accumulators(kernel, loop)) return reason;
  }
  return std::nullopt;
}

}  // namespace gatefold
