#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace gatefold::cli {

/// Keys keep the order in which a command writes them.
using Json = nlohmann::ordered_json;

/// A number, or null where it is not known (absent or not finite).
Json number_or_null(std::optional<double> value);

/// One object on stdout, and nothing else there.
void print_json(const Json& object);

/// A line of text on stdout.
void print_line(const std::string& text);

/// As it is; a stderr that is closed or full does not end the program (fmt::print would throw).
void print_stderr(const std::string& text);

/// A remark on stderr: "gatefold: note: …".
void print_note(const std::string& text);

/// Columns as wide as their widest cell; columns whose name starts with '>' are right-aligned.
class Table {
 public:
  explicit Table(std::vector<std::string> columns);
  void add(std::vector<std::string> cells);
  std::string text(bool colour = false) const;
  void print() const;  ///< to stdout; bold heading on a terminal

 private:
  std::string line(const std::vector<std::string>& cells) const;

  std::vector<std::string> heading_;
  std::vector<bool> right_;
  std::vector<size_t> widths_;
  std::vector<std::vector<std::string>> rows_;
};

/// "12.3 MiB"
std::string bytes_text(int64_t bytes);
/// Milliseconds with four significant digits.
std::string ms_text(std::optional<double> ms);
/// The same of a time that may be an emulator's, which is said beside it: "12.34 emulated".
std::string ms_text(std::optional<double> ms, bool emulated);
/// "+1.5 %"; "-" where it is not known.
std::string percent_text(std::optional<double> percent);
/// "0.93"; "-" where it is not known.
std::string ratio_text(std::optional<double> ratio);

}  // namespace gatefold::cli
