#include "formats/npy_header.h"

#include <charconv>
#include <set>

#include "formats/extent.h"
#include "formats/quote.h"
#include "spec/error.h"

namespace gatefold {
namespace {

constexpr size_t kShownBytes = 40;  // of what stands where something else was wanted

/// Reads the little of Python's syntax that numpy writes: a dict of strings, booleans and tuples.
class HeaderParser {
 public:
  HeaderParser(const std::string& file, std::string_view text) : file_(file), rest_(text) {}

  NpyHeader parse() {
    expect('{', "'{' of a dict");
    while (!accept('}')) {
      entry();
      if (accept(',')) continue;
      expect('}', "',' or '}'");
      break;
    }
    skip_spaces();
    if (!rest_.empty()) unexpected("the end of the header");
    for (const char* key : {"descr", "fortran_order", "shape"}) {
      if (!seen_.contains(key)) fail(file_ + ": header has no '" + key + "'");
    }
    return std::move(header_);
  }

 private:
  void entry() {
    const std::string key = string("a key in quotes");
    if (!seen_.insert(key).second) fail(file_ + ": header has " + quote(key) + " twice");
    expect(':', "':'");
    if (key == "descr") {
      header_.descr = string("a plain dtype such as '<f4' for descr");
    } else if (key == "fortran_order") {
      header_.fortran_order = boolean();
    } else if (key == "shape") {
      tuple();
    } else {
      fail(file_ + ": header has unknown key " + quote(key) +
           ", wanted descr, fortran_order and shape");
    }
  }

  std::string string(const char* wanted) {
    skip_spaces();
    const char quote = rest_.empty() ? '\0' : rest_.front();
    if (quote != '\'' && quote != '"') unexpected(wanted);
    const size_t end = rest_.find(quote, 1);
    if (end == std::string_view::npos) unexpected("a string with its closing quote");
    std::string value(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return value;
  }

  bool boolean() {
    if (accept("True")) return true;
    if (accept("False")) return false;
    unexpected("True or False for fortran_order");
  }

  void tuple() {
    expect('(', "'(' of a tuple for shape");
    while (!accept(')')) {
      header_.shape.push_back(size());
      if (header_.shape.size() > kMaxRank) fail(file_ + ": shape has more than 64 dimensions");
      if (accept(',')) continue;
      expect(')', "',' or ')' in shape");
      break;
    }
  }

  int64_t size() {
    skip_spaces();
    int64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc() || value < 0) unexpected("a size from 0 to 2^63 - 1 in shape");
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return value;
  }

  bool accept(std::string_view token) {
    skip_spaces();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  bool accept(char token) { return accept(std::string_view(&token, 1)); }

  void expect(char token, const char* wanted) {
    if (!accept(token)) unexpected(wanted);
  }

  void skip_spaces() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
  }

  [[noreturn]] void unexpected(const std::string& wanted) const {
    fail(file_ + ": header: found " + quote(rest_.substr(0, kShownBytes)) + ", wanted " + wanted);
  }

  const std::string& file_;
  std::string_view rest_;
  NpyHeader header_;
  std::set<std::string> seen_;
};

}  // namespace

NpyHeader parse_npy_header(const std::string& file, std::string_view text) {
  return HeaderParser(file, text).parse();
}

}  // namespace gatefold
