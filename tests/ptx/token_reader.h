#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/ptx/lexer.h"

namespace gatefold::ptx {

struct Literal {
  enum class Kind { integer, f32, f64 };
  Kind kind = Kind::integer;
  uint64_t bits = 0;  ///< of a real one those of its format
};

/// 12, 0x1F, 0b11, 017, 12U, 0f3F800000, 0d3FF0000000000000, 1.5; none if it isn't a number.
std::optional<Literal> literal_of(std::string_view word, bool negative);

/// Where a parser is among the tokens. Its errors name the line, with the line's text.
class TokenReader {
 public:
  explicit TokenReader(std::string_view text) : text_(text), tokens_(tokens_of(text)) {}

  const Token& peek(size_t ahead = 0) const {
    return tokens_[at_ + ahead < tokens_.size() ? at_ + ahead : tokens_.size() - 1];
  }
  bool at_end() const { return peek().kind == Token::Kind::end; }
  Token next() {
    const Token token = peek();
    if (!at_end()) ++at_;
    return token;
  }
  bool sees_directive() const {
    return peek().kind == Token::Kind::word && peek().text.starts_with('.');
  }
  bool accept(std::string_view text);
  void expect(std::string_view text);
  Token word(std::string_view wanted);
  uint32_t count(std::string_view wanted);   ///< a whole number below 2^32
  Literal literal(std::string_view wanted);  ///< may begin with '-'
  std::optional<Literal> maybe_literal();
  void skip_through(std::string_view text);

  [[noreturn]] void refuse(const Token& found, std::string_view wanted) const;
  [[noreturn]] void refuse(int line, std::string_view why) const;

 private:
  std::string_view text_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
};

/// The text of line `number` (from 1), without the blanks around it.
std::string_view line_of(std::string_view text, int number);

}  // namespace gatefold::ptx
