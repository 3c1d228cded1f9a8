#include "tests/ptx/instruction_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace gatefold::ptx {

Instruction InstructionParser::parse(size_t index) {
  in_ = Instruction{};
  parse_guard();
  const Token words = reader_.word("an instruction");
  in_.line = words.line;
  parse_words(words);
  bool optional = false;
  for (const char kind : form_->operands) {
    if (kind == '?') {
      optional = true;
    } else if (!(optional && reader_.peek().is(";"))) {
      if (in_.operands_given > 0) reader_.expect(",");
      parse_operand(kind, index);
    }
  }
  reader_.expect(";");
  const std::string refusal = why_refused(in_, *form_);
  if (!refusal.empty()) reader_.refuse(in_.line, refusal);
  return in_;
}

void InstructionParser::parse_guard() {
  if (!reader_.accept("@")) return;
  in_.guard_negated = reader_.accept("!");
  const Token name = reader_.word("a predicate");
  const auto slot = names_.register_slot(name.text);
  if (!slot) reader_.refuse(name, "a declared predicate");
  in_.guard = static_cast<int32_t>(*slot);
}

void InstructionParser::parse_words(const Token& words) {
  size_t length = 0;
  form_ = find_form(words.text, length);
  if (!form_) reader_.refuse(words, "an instruction that the interpreter knows");
  in_.op = form_->op;
  std::string_view rest = words.text.substr(length);
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('.', 1), rest.size());
    const std::string_view word = rest.substr(1, end - 1);
    rest.remove_prefix(end);
    parse_type_or_modifier(word);
  }
  if (in_.types_given != form_->type_count) {
    reader_.refuse(words.line, fmt::format("{} has {} types, wanted {}", form_->name,
                                           in_.types_given, form_->type_count));
  }
}

void InstructionParser::parse_type_or_modifier(std::string_view word) {
  const auto type = type_named(word);
  if (type && in_.types_given < form_->type_count && (form_->types >> int(*type) & 1) != 0) {
    in_.types[in_.types_given++] = *type;
    return;
  }
  const auto modifier = modifier_named(word, form_->allowed | form_->required);
  if (!modifier) {
    reader_.refuse(in_.line, fmt::format("'.{}' is not known for {}", word, form_->name));
  }
  uint8_t& value = in_.modifiers[static_cast<size_t>(modifier->first)];
  if (value != 0 && modifier->first != Group::ignored) {
    reader_.refuse(in_.line, fmt::format("'.{}' is one modifier of its kind too many", word));
  }
  value = modifier->second;
}

void InstructionParser::parse_operand(char kind, size_t index) {
  Operand& operand = in_.operands[in_.operands_given++];
  operand.first = in_.slots_given;
  if (kind == 'l') {
    operand.kind = Operand::Kind::label;
    labels_.use(reader_.word("a label"), index);
  } else if (kind == 'm') {
    parse_address(operand);
  } else {
    parse_values(kind, operand);
  }
}

void InstructionParser::parse_values(char kind, Operand& operand) {
  const bool writes = kind == 'd' || kind == 'D' || kind == 'p';
  const auto one = [&] { add_slot(operand, writes ? destination() : source(), !writes); };
  if (kind == 'n') operand.negated = reader_.accept("!");
  if ((kind == 'D' || kind == 'S') && reader_.accept("{")) {
    do one();
    while (reader_.accept(","));
    reader_.expect("}");
    return;
  }
  one();
  if (kind == 'p' && reader_.accept("|")) {
    operand.pair = true;
    one();
  }
}

void InstructionParser::add_slot(Operand& operand, uint32_t slot, bool is_source) {
  if (in_.slots_given == in_.slots.size() || operand.count == 4) {
    reader_.refuse(reader_.peek(), "at most 4 registers in a vector");
  }
  if (is_source) in_.sources |= static_cast<uint16_t>(1u << in_.slots_given);
  in_.slots[in_.slots_given++] = slot;
  ++operand.count;
}

uint32_t InstructionParser::destination() {
  const Token name = reader_.word("a register");
  if (name.text == "_") return kSink;
  const auto slot = names_.register_slot(name.text);
  if (!slot) reader_.refuse(name, "a declared register");
  return *slot;
}

uint32_t InstructionParser::source() {
  if (const auto literal = reader_.maybe_literal()) return literal_slot(*literal);
  const Token name = reader_.word("a register or a constant");
  if (const auto slot = names_.register_slot(name.text)) return *slot;
  if (name.text.starts_with('%')) {
    const auto slot = names_.special_slot(name.text);
    if (!slot) reader_.refuse(name, "a declared or a special register that is known");
    return *slot;
  }
  if (name.text == "WARP_SZ") return names_.constant(32);
  int64_t addend = 0;
  if (reader_.accept("+")) addend = static_cast<int64_t>(reader_.literal("an offset").bits);
  const auto slot = names_.address_slot(name.text, addend);
  if (!slot) reader_.refuse(name, "the name of a register, a variable or a parameter");
  return *slot;
}

/// A real literal has the format of the instruction's type, however it is written.
uint32_t InstructionParser::literal_slot(const Literal& literal) {
  const Type type = in_.types[in_.types_given > 0 ? in_.types_given - 1 : 0];
  const auto bits32 = static_cast<uint32_t>(literal.bits);
  if (literal.kind == Literal::Kind::f32 && type == Type::f64) {
    return names_.constant(std::bit_cast<uint64_t>(double{std::bit_cast<float>(bits32)}));
  }
  if (literal.kind == Literal::Kind::f64 && type == Type::f32) {
    const auto value = static_cast<float>(std::bit_cast<double>(literal.bits));
    return names_.constant(std::bit_cast<uint32_t>(value));
  }
  return names_.constant(literal.bits);
}

void InstructionParser::parse_address(Operand& operand) {
  operand.kind = Operand::Kind::address;
  reader_.expect("[");
  if (const auto literal = reader_.maybe_literal()) {
    add_slot(operand, names_.constant(literal->bits), true);
  } else {
    const Token name = reader_.word("an address");
    auto slot = names_.register_slot(name.text);
    if (!slot) slot = names_.address_slot(name.text, 0);
    if (!slot) reader_.refuse(name, "a declared register, variable or parameter");
    add_slot(operand, *slot, true);
    const bool plus = reader_.accept("+");
    if (plus || reader_.peek().is("-")) {
      operand.offset = static_cast<int64_t>(reader_.literal("an offset").bits);
    }
  }
  reader_.expect("]");
}

}  // namespace gatefold::ptx
