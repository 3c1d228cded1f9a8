#include "tests/ptx/lexer.h"

#include <fmt/format.h>

#include <cctype>

#include "spec/error.h"

namespace gatefold::ptx {
namespace {

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> tokens() {
    std::vector<Token> tokens;
    while (skip_blanks(), at_ < text_.size()) {
      const Token token = next();
      if (token.is(".loc") || token.is(".file")) {
        skip_past("\n", false);
      } else {
        tokens.push_back(token);
      }
    }
    tokens.push_back({Token::Kind::end, "end of the text", line_});
    return tokens;
  }

 private:
  bool sees(std::string_view what) const { return text_.substr(at_, what.size()) == what; }
  static bool in_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%' ||
           c == '.';
  }

  void skip_past(std::string_view mark, bool must_be_there = true) {
    const size_t found = text_.find(mark, at_), begin_line = line_;
    if (found == std::string_view::npos && must_be_there) {
      fail(fmt::format("line {}: found no '{}' that ends what begins here", begin_line, mark));
    }
    const size_t end = found == std::string_view::npos ? text_.size() : found;
    for (; at_ < end; ++at_) line_ += text_[at_] == '\n';
    if (must_be_there) at_ += mark.size();
  }

  void skip_blanks() {
    while (at_ < text_.size()) {
      if (sees("//")) {
        skip_past("\n", false);
      } else if (sees("/*")) {
        skip_past("*/");
      } else if (std::isspace(static_cast<unsigned char>(text_[at_]))) {
        line_ += text_[at_++] == '\n';
      } else {
        return;
      }
    }
  }

  /// "::" is part of a word that goes on after it: "shared::cta", but not "label: :".
  size_t word_end() const {
    size_t end = at_;
    while (end < text_.size()) {
      if (in_word(text_[end])) {
        ++end;
      } else if (text_.substr(end, 2) == "::" && end + 2 < text_.size() &&
                 in_word(text_[end + 2])) {
        end += 2;
      } else {
        break;
      }
    }
    return end;
  }

  Token next() {
    const size_t begin = at_;
    const int line = line_;
    if (text_[at_] == '"') {
      ++at_;
      skip_past("\"");
      return {Token::Kind::text, text_.substr(begin + 1, at_ - begin - 2), line};
    }
    if (in_word(text_[at_])) {
      at_ = word_end();
      return {Token::Kind::word, text_.substr(begin, at_ - begin), line};
    }
    if (std::string_view("{}[]()<>,;:+-!@|=").find(text_[at_]) == std::string_view::npos) {
      fail(fmt::format("line {}: character '{}' is not of PTX", line, text_[at_]));
    }
    ++at_;
    return {Token::Kind::punctuation, text_.substr(begin, 1), line};
  }

  std::string_view text_;
  size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view text) { return Lexer(text).tokens(); }

}  // namespace gatefold::ptx
