#pragma once

#include <string_view>
#include <vector>

namespace gatefold::ptx {

struct Token {
  enum class Kind { word, punctuation, text, end };
  Kind kind = Kind::end;
  std::string_view text;  ///< of a string without its quotes
  int line = 0;

  bool is(std::string_view other) const { return text == other && kind != Kind::text; }
};

/// Words hold dots and double colons ("ld.shared::cta.b32", "%tid.x", "1.5"); comments are left
/// out; `.loc`, `.file` and what follows them on their line are too. The last token is the end.
std::vector<Token> tokens_of(std::string_view text);

}  // namespace gatefold::ptx
