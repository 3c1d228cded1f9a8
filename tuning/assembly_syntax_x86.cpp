#include <regex>

#include "tuning/assembly_syntax.h"

namespace gatefold {
namespace {

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

class X86Syntax : public AssemblySyntax {
 public:
  const char* comment() const override { return "#"; }

  bool is_multiply_add(const std::string& i) const override {
    static const std::regex form("vfn?m(add|sub)(132|213|231)ps");
    return std::regex_match(mnemonic(i), form);
  }
  bool is_bf16_dot(const std::string& i) const override { return mnemonic(i) == "vdpbf16ps"; }
  std::string accumulator(const std::string& i) const override { return last_operand(i); }

  std::string jump_target(const std::string& i) const override {
    return i.front() == 'j' ? last_operand(i) : "";
  }
  bool begins_frame(const std::string& i) const override {
    return contains(i, "%rsp,") && last_operand(i) == "%rbp";
  }
  bool refers_to_stack(const std::string& i, bool has_frame) const override {
    return contains(i, "(%rsp") || (has_frame && contains(i, "(%rbp"));
  }
  bool at_fixed_place(const std::string& i) const override {
    return !contains(i, "(%rsp,%") && !contains(i, "(%rbp,%");
  }

  bool is_gather(const std::string& i) const override {
    static const std::regex form("vp?(gather|scatter).*");
    return std::regex_match(mnemonic(i), form);
  }
  bool is_store(const std::string& i) const override {
    static const std::regex reads_only("(cmp|test|prefetch|v?u?comis).*");
    return i.back() == ')' && !std::regex_match(mnemonic(i), reads_only);
  }
  bool is_prefetch(const std::string& i) const override {
    return mnemonic(i).compare(0, 8, "prefetch") == 0;
  }
};

}  // namespace

const AssemblySyntax& x86_assembly_syntax() {
  static const X86Syntax syntax;
  return syntax;
}

}  // namespace gatefold
