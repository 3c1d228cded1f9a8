#pragma once

#include <toml++/toml.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "spec/error.h"

namespace gatefold {

/// One value of a TOML file and where it stands, for errors: "sweep.toml:3: sizes[1]".
class TomlValue {
 public:
  TomlValue(const toml::node& node, std::string file, std::string name)
      : node_(node), file_(std::move(file)), name_(std::move(name)) {}

  std::string text() const;
  int64_t integer(int64_t least, int64_t most) const;
  bool boolean() const;
  bool is_text() const { return node_.is_string(); }

  /// The elements of a list that has some, each read by `read`; repeats are left out.
  template <typename Read>
  auto list(Read read) const {
    std::vector<decltype(read(*this))> values;
    for (const TomlValue& item : items()) {
      const auto value = item.named([&] { return read(item); });
      if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
    }
    return values;
  }

  /// Runs a parser whose errors get this value's place in front.
  template <typename Parse>
  auto named(Parse parse) const {
    try {
      return parse();
    } catch (const Error& e) {
      throw_placed(e);
    }
  }

  [[noreturn]] void wrong(const std::string& wanted) const;

 private:
  std::vector<TomlValue> items() const;
  std::string place() const;
  [[noreturn]] void throw_placed(const Error& e) const;

  const toml::node& node_;
  std::string file_, name_;
};

/// A usage error with line and column where `text` is no TOML.
toml::table parse_toml(std::string_view text, const std::string& file);

}  // namespace gatefold
