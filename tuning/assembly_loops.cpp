#include <algorithm>
#include <iterator>
#include <sstream>

#include "tuning/assembly_check.h"
#include "tuning/assembly_syntax.h"

namespace gatefold {
namespace {

/// Without comment and surrounding blanks.
std::string code_of(const std::string& line, const AssemblySyntax& syntax) {
  const std::string code = line.substr(0, line.find(syntax.comment()));
  const size_t begin = code.find_first_not_of(" \t");
  if (begin == std::string::npos) return "";
  return code.substr(begin, code.find_last_not_of(" \t") + 1 - begin);
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
  explicit LoopFinder(Arch arch) : arch_(arch), syntax_(assembly_syntax(arch)) { begin_block(""); }

  void read(const std::string& line) {
    const std::string code = code_of(line, syntax_);
    if (code.empty()) return;
    if (code.back() == ':') return begin_block(code.substr(0, code.size() - 1));
    if (code.front() == '.') return;  // a directive
    if (syntax_.begins_frame(code)) block_.has_frame = true;
    block_.instructions.push_back(code);
    const std::string target = syntax_.jump_target(code);
    if (target.empty()) return;
    if (target == block_.label) loops.push_back(block_);
    begin_block("");
  }

  std::vector<Loop> loops;

 private:
  void begin_block(const std::string& label) {
    const bool function = !label.empty() && label.front() != '.';
    block_ = {label, arch_, {}, !function && block_.has_frame};
  }

  Arch arch_;
  const AssemblySyntax& syntax_;
  Loop block_;
};

}  // namespace

int Loop::multiply_adds() const {
  return count(instructions,
               [&](const auto& i) { return assembly_syntax(arch).is_multiply_add(i); });
}

int Loop::bf16_dots() const {
  return count(instructions, [&](const auto& i) { return assembly_syntax(arch).is_bf16_dot(i); });
}

std::set<std::string> Loop::accumulators() const {
  const AssemblySyntax& syntax = assembly_syntax(arch);
  std::set<std::string> registers;
  for (const std::string& i : instructions) {
    if (syntax.is_multiply_add(i) || syntax.is_bf16_dot(i)) registers.insert(syntax.accumulator(i));
  }
  return registers;
}

std::vector<std::string> Loop::stack_references() const {
  return those(instructions,
               [&](const auto& i) { return assembly_syntax(arch).refers_to_stack(i, has_frame); });
}

std::vector<std::string> Loop::spills() const {
  return those(stack_references(),
               [&](const auto& i) { return assembly_syntax(arch).at_fixed_place(i); });
}

std::vector<std::string> Loop::gathers() const {
  return those(instructions, [&](const auto& i) { return assembly_syntax(arch).is_gather(i); });
}

std::vector<std::string> Loop::stores() const {
  return those(instructions, [&](const auto& i) { return assembly_syntax(arch).is_store(i); });
}

std::vector<std::string> Loop::prefetches() const {
  return those(instructions, [&](const auto& i) { return assembly_syntax(arch).is_prefetch(i); });
}

std::string Loop::text() const {
  std::string text = label + ":\n";
  for (const std::string& instruction : instructions) text += "  " + instruction + "\n";
  return text;
}

std::vector<Loop> innermost_loops(const std::string& assembly, Arch arch) {
  LoopFinder finder(arch);
  std::istringstream lines(assembly);
  for (std::string line; std::getline(lines, line);) finder.read(line);
  return finder.loops;
}

std::vector<Loop> hot_loops(const std::string& assembly, Arch arch) {
  const auto weight = [](const Loop& l) { return l.multiply_adds() + l.bf16_dots(); };
  std::vector<Loop> loops = innermost_loops(assembly, arch);
  int largest = 0;
  for (const Loop& loop : loops) largest = std::max(largest, weight(loop));
  std::erase_if(loops, [&](const Loop& l) { return largest == 0 || 2 * weight(l) < largest; });
  return loops;
}

}  // namespace gatefold
