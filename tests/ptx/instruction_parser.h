#pragma once

#include "tests/ptx/instruction_table.h"
#include "tests/ptx/labels.h"
#include "tests/ptx/names.h"
#include "tests/ptx/token_reader.h"

namespace gatefold::ptx {

/// Reads one instruction, from its guard to its semicolon.
class InstructionParser {
 public:
  InstructionParser(TokenReader& reader, Names& names, Labels& labels)
      : reader_(reader), names_(names), labels_(labels) {}

  Instruction parse(size_t index);

 private:
  void parse_guard();
  void parse_words(const Token& words);
  void parse_type_or_modifier(std::string_view word);
  void parse_operand(char kind, size_t index);
  void parse_values(char kind, Operand& operand);
  void parse_address(Operand& operand);
  void add_slot(Operand& operand, uint32_t slot, bool is_source);
  uint32_t destination();
  uint32_t source();
  uint32_t literal_slot(const Literal& literal);

  TokenReader& reader_;
  Names& names_;
  Labels& labels_;
  Instruction in_;
  const Form* form_ = nullptr;
};

/// Why what the form lets through is still no instruction of PTX; empty if it is one.
std::string why_refused(const Instruction& in, const Form& form);

}  // namespace gatefold::ptx
