#include "tests/ptx/token_reader.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>

#include "spec/error.h"

namespace gatefold::ptx {
namespace {

template <typename... Base>
std::optional<uint64_t> whole(std::string_view digits, Base... base) {
  uint64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value, base...);
  if (digits.empty() || error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::optional<Literal> real_of(std::string_view word, bool negative) {
  double value = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return Literal{Literal::Kind::f64, std::bit_cast<uint64_t>(negative ? -value : value)};
}

std::optional<Literal> bits_in_hex(std::string_view word) {
  const bool single = (word[1] | 0x20) == 'f';
  const std::string_view digits = word.substr(2);
  const auto bits = whole(digits, 16);
  if (!bits || digits.size() != (single ? 8u : 16u)) return std::nullopt;
  return Literal{single ? Literal::Kind::f32 : Literal::Kind::f64, *bits};
}

}  // namespace

std::optional<Literal> literal_of(std::string_view word, bool negative) {
  if (word.empty() || word[0] < '0' || word[0] > '9') return std::nullopt;
  const char second = word.size() > 2 ? static_cast<char>(word[1] | 0x20) : ' ';
  if (word[0] == '0' && (second == 'f' || second == 'd')) {
    return negative ? std::nullopt : bits_in_hex(word);
  }
  if (word.find('.') != std::string_view::npos) return real_of(word, negative);
  if (word.back() == 'U') word.remove_suffix(1);
  std::optional<uint64_t> value;
  if (word[0] == '0' && second == 'x') {
    value = whole(word.substr(2), 16);
  } else if (word[0] == '0' && second == 'b') {
    value = whole(word.substr(2), 2);
  } else {
    value = whole(word, word[0] == '0' ? 8 : 10);
  }
  if (!value) return std::nullopt;
  return Literal{Literal::Kind::integer, negative ? 0 - *value : *value};
}

bool TokenReader::accept(std::string_view text) {
  if (!peek().is(text)) return false;
  next();
  return true;
}

void TokenReader::expect(std::string_view text) {
  if (!accept(text)) refuse(peek(), fmt::format("'{}'", text));
}

Token TokenReader::word(std::string_view wanted) {
  if (peek().kind != Token::Kind::word) refuse(peek(), wanted);
  return next();
}

std::optional<Literal> TokenReader::maybe_literal() {
  const bool negative = peek().is("-");
  const Token& digits = peek(negative ? 1 : 0);
  if (digits.kind != Token::Kind::word) return std::nullopt;
  const auto literal = literal_of(digits.text, negative);
  if (literal) at_ += negative ? 2 : 1;
  return literal;
}

Literal TokenReader::literal(std::string_view wanted) {
  const auto literal = maybe_literal();
  if (!literal) refuse(peek(), wanted);
  return *literal;
}

uint32_t TokenReader::count(std::string_view wanted) {
  const Token token = peek();
  const Literal value = literal(wanted);
  if (value.kind != Literal::Kind::integer || value.bits >> 32 != 0) refuse(token, wanted);
  return static_cast<uint32_t>(value.bits);
}

void TokenReader::skip_through(std::string_view text) {
  while (!peek().is(text)) {
    if (at_end()) refuse(peek(), fmt::format("'{}'", text));
    next();
  }
  next();
}

void TokenReader::refuse(const Token& found, std::string_view wanted) const {
  refuse(found.line, fmt::format("found '{}', wanted {}", found.text, wanted));
}

void TokenReader::refuse(int line, std::string_view why) const {
  fail(fmt::format("line {} `{}`: {}", line, line_of(text_, line), why));
}

std::string_view line_of(std::string_view text, int number) {
  for (; number > 1; --number) {
    const size_t end = text.find('\n');
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  text = text.substr(0, text.find('\n'));
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

}  // namespace gatefold::ptx
