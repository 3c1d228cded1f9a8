#include <regex>

#include "tuning/assembly_syntax.h"

namespace gatefold {
namespace {

/// "v3" for the operand "v3.4s".
std::string register_of(const std::string& operand) { return operand.substr(0, operand.find('.')); }

/// What stands between the brackets of a memory operand: "sp, #16"; empty without one.
std::string address_of(const std::string& i) {
  const size_t open = i.find('['), close = i.find(']', open);
  // The index of an element is in brackets as well: "v8.s[0]".
  static const std::regex digits("[0-9]*");
  if (open == std::string::npos || close == std::string::npos) return "";
  const std::string inside = i.substr(open + 1, close - open - 1);
  // Lanes of a load come first: "ld1 {v0.s}[1], [x0]".
  return std::regex_match(inside, digits) ? address_of(i.substr(close + 1)) : inside;
}

std::string base_of(const std::string& address) { return address.substr(0, address.find(',')); }

class Arm64Syntax : public AssemblySyntax {
 public:
  /// '#' begins an immediate.
  const char* comment() const override { return "//"; }

  bool is_multiply_add(const std::string& i) const override {
    static const std::regex form("fml(a|s|al2?|sl2?)"), vector("v[0-9]+\\.(4s|8h|2d)");
    return std::regex_match(mnemonic(i), form) && std::regex_match(first_operand(i), vector);
  }
  bool is_bf16_dot(const std::string& i) const override {
    static const std::regex form("bf(dot|mmla)");
    return std::regex_match(mnemonic(i), form);
  }
  std::string accumulator(const std::string& i) const override {
    return register_of(first_operand(i));
  }

  std::string jump_target(const std::string& i) const override {
    static const std::regex form("b|b\\.[a-z]{2}|bc\\.[a-z]{2}|cbn?z|tbn?z|br");
    return std::regex_match(mnemonic(i), form) ? last_operand(i) : "";
  }
  bool begins_frame(const std::string& i) const override {
    static const std::regex form("(mov|add)[ \t]+x29, ?sp(,.*)?");
    return std::regex_match(i, form);
  }
  bool refers_to_stack(const std::string& i, bool has_frame) const override {
    const std::string base = base_of(address_of(i));
    return base == "sp" || (has_frame && base == "x29");
  }
  bool at_fixed_place(const std::string& i) const override {
    static const std::regex fixed("[a-z0-9]+(, ?#.*)?");
    return std::regex_match(address_of(i), fixed);
  }

  /// Single elements inserted, taken out, loaded or stored, and tables. ld1r, which broadcasts, and
  /// a multiply-add by an element are none.
  bool is_gather(const std::string& i) const override {
    static const std::regex form("ins|umov|smov|tbl|tbx"), element("v[0-9]+\\.[bhsd]\\[[0-9]+\\]"),
        from_element("mov[ \t]+[wxbhsd][0-9]+, ?v[0-9]+\\.[bhsd]\\[[0-9]+\\]"),
        lane("(ld|st)[1-4][ \t]+\\{[^}]*\\}\\[[0-9]+\\],.*");
    return std::regex_match(mnemonic(i), form) || std::regex_match(i, lane) ||
           std::regex_match(i, from_element) ||
           (mnemonic(i) == "mov" && std::regex_match(first_operand(i), element));
  }
  /// All that begin so are stores; atomic ones, too.
  bool is_store(const std::string& i) const override { return i.compare(0, 2, "st") == 0; }
  bool is_prefetch(const std::string& i) const override { return mnemonic(i) == "prfm"; }
};

}  // namespace

const AssemblySyntax& arm64_assembly_syntax() {
  static const Arm64Syntax syntax;
  return syntax;
}

}  // namespace gatefold
