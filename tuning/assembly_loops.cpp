#include <algorithm>
#include <iterator>
#include <regex>
#include <sstream>

#include "tuning/assembly_check.h"

namespace gatefold {
namespace {

std::string mnemonic(const std::string& instruction) {
  return instruction.substr(0, instruction.find_first_of(" \t"));
}

/// Without comment and surrounding blanks.
std::string code_of(const std::string& line) {
  const std::string code = line.substr(0, line.find('#'));
  const size_t begin = code.find_first_not_of(" \t");
  if (begin == std::string::npos) return "";
  return code.substr(begin, code.find_last_not_of(" \t") + 1 - begin);
}

bool is_multiply_add(const std::string& instruction) {
  static const std::regex form("vfn?m(add|sub)(132|213|231)ps");
  return std::regex_match(mnemonic(instruction), form);
}

bool is_dot(const std::string& instruction) { return mnemonic(instruction) == "vdpbf16ps"; }

std::string destination(const std::string& instruction) {
  return instruction.substr(instruction.find_last_of(", \t") + 1);
}

/// A jump's target; empty for other instructions.
std::string jump_target(const std::string& instruction) {
  const bool jump = instruction.front() == 'j';
  return jump ? destination(instruction) : "";
}

template <class Wanted>
std::vector<std::string> those(const std::vector<std::string>& instructions, Wanted&& wanted) {
  std::vector<std::string> found;
  std::copy_if(instructions.begin(), instructions.end(), std::back_inserter(found), wanted);
  return found;
}

template <class Wanted>
int count(const std::vector<std::string>& instructions, Wanted&& wanted) {
  return static_cast<int>(std::count_if(instructions.begin(), instructions.end(), wanted));
}

/// Reads assembly line by line and keeps the blocks that jump to themselves.
class LoopFinder {
 public:
  void read(const std::string& line) {
    const std::string code = code_of(line);
    if (code.empty()) return;
    if (code.back() == ':') return begin_block(code.substr(0, code.size() - 1));
    if (code.front() == '.') return;  // a directive
    if (code.find("%rsp,") != std::string::npos && destination(code) == "%rbp")
      block_.has_frame = true;
    block_.instructions.push_back(code);
    const std::string target = jump_target(code);
    if (target.empty()) return;
    if (target == block_.label) loops.push_back(block_);
    begin_block("");
  }

  std::vector<Loop> loops;

 private:
  void begin_block(const std::string& label) {
    const bool function = !label.empty() && label.front() != '.';
    block_ = {label, {}, !function && block_.has_frame};
  }

  Loop block_;
};

}  // namespace

int Loop::multiply_adds() const { return count(instructions, is_multiply_add); }
int Loop::bf16_dots() const { return count(instructions, is_dot); }

std::set<std::string> Loop::accumulators() const {
  std::set<std::string> registers;
  for (const std::string& i : instructions) {
    if (is_multiply_add(i) || is_dot(i)) registers.insert(destination(i));
  }
  return registers;
}

std::vector<std::string> Loop::stack_references() const {
  return those(instructions, [&](const std::string& i) {
    return i.find("(%rsp") != std::string::npos ||
           (has_frame && i.find("(%rbp") != std::string::npos);
  });
}

std::vector<std::string> Loop::spills() const {
  return those(stack_references(), [](const std::string& i) {
    return i.find("(%rsp,%") == std::string::npos && i.find("(%rbp,%") == std::string::npos;
  });
}

std::vector<std::string> Loop::gathers() const {
  static const std::regex form("vp?(gather|scatter).*");
  return those(instructions,
               [](const std::string& i) { return std::regex_match(mnemonic(i), form); });
}

std::vector<std::string> Loop::stores() const {
  static const std::regex reads_only("(cmp|test|prefetch|v?u?comis).*");
  return those(instructions, [](const std::string& i) {
    return i.back() == ')' && !std::regex_match(mnemonic(i), reads_only);
  });
}

std::string Loop::text() const {
  std::string text = label + ":\n";
  for (const std::string& instruction : instructions) text += "  " + instruction + "\n";
  return text;
}

std::vector<Loop> innermost_loops(const std::string& assembly) {
  LoopFinder finder;
  std::istringstream lines(assembly);
  for (std::string line; std::getline(lines, line);) finder.read(line);
  return finder.loops;
}

std::vector<Loop> hot_loops(const std::string& assembly) {
  const auto weight = [](const Loop& l) { return l.multiply_adds() + l.bf16_dots(); };
  std::vector<Loop> loops = innermost_loops(assembly);
  int largest = 0;
  for (const Loop& loop : loops) largest = std::max(largest, weight(loop));
  std::erase_if(loops, [&](const Loop& l) { return largest == 0 || 2 * weight(l) < largest; });
  return loops;
}

}  // namespace gatefold
