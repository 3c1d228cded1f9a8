#include "cli/output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>

namespace gatefold::cli {
namespace {

/// Characters on the screen: bytes that do not continue a UTF-8 sequence.
size_t width_of(const std::string& text) {
  size_t width = 0;
  for (const char c : text) width += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return width;
}

bool known(std::optional<double> value) { return value && std::isfinite(*value); }

}  // namespace

Json number_or_null(std::optional<double> value) { return known(value) ? Json(*value) : Json(); }

void print_json(const Json& object) {
  // Text from files may hold anything; JSON must be UTF-8.
  print_line(object.dump(2, ' ', false, Json::error_handler_t::replace));
}

void print_line(const std::string& text) { fmt::print("{}\n", text); }

void print_note(const std::string& text) { print_stderr("gatefold: note: " + text + "\n"); }

void print_stderr(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stderr); }

Table::Table(std::vector<std::string> columns) : heading_(std::move(columns)) {
  for (std::string& name : heading_) {
    right_.push_back(name.starts_with('>'));
    if (right_.back()) name.erase(0, 1);
    widths_.push_back(width_of(name));
  }
}

void Table::add(std::vector<std::string> cells) {
  cells.resize(heading_.size());
  for (size_t i = 0; i < cells.size(); ++i) widths_[i] = std::max(widths_[i], width_of(cells[i]));
  rows_.push_back(std::move(cells));
}

std::string Table::line(const std::vector<std::string>& cells) const {
  std::string out;
  for (size_t i = 0; i < cells.size(); ++i) {
    const std::string padding(widths_[i] - width_of(cells[i]), ' ');
    out += right_[i] ? padding + cells[i] : cells[i] + padding;
    out += "  ";
  }
  out.erase(out.find_last_not_of(' ') + 1);
  return out;
}

std::string Table::text(bool colour) const {
  std::string out = colour ? "\033[1m" + line(heading_) + "\033[0m" : line(heading_);
  for (const auto& row : rows_) out += "\n" + line(row);
  return out;
}

void Table::print() const { print_line(text(isatty(STDOUT_FILENO) == 1)); }

std::string bytes_text(int64_t bytes) {
  const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  int unit = 0;
  for (; value >= 1024 && unit < 4; ++unit) value /= 1024;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.4g} {}", value, units[unit]);
}

std::string ms_text(std::optional<double> ms) {
  return known(ms) ? fmt::format("{:.4g}", *ms) : "-";
}

std::string ms_text(std::optional<double> ms, bool emulated) {
  return ms_text(ms) + (emulated && known(ms) ? " emulated" : "");
}

std::string percent_text(std::optional<double> percent) {
  return known(percent) ? fmt::format("{:+.1f} %", *percent) : "-";
}

std::string ratio_text(std::optional<double> ratio) {
  return known(ratio) ? fmt::format("{:.3f}", *ratio) : "-";
}

}  // namespace gatefold::cli
