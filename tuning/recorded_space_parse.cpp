#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "formats/quote.h"
#include "spec/error.h"
#include "spec/names.h"
#include "tuning/recorded_space.h"
#include "tuning/store_rows.h"

namespace gatefold {
namespace {

constexpr std::string_view kFirstLine = "# gatefold-space 1";
constexpr std::string_view kColumns = "packing,point,kind,ms";

class Parser {
 public:
  Parser(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

  RecordedSpace space() {
    if (next_line() != kFirstLine) wrong(line_text_, "'" + std::string(kFirstLine) + "'");
    read_header();
    RecordedSpace space = space_of_header();
    if (line_text_ != kColumns) wrong(line_text_, "'" + std::string(kColumns) + "'");
    std::set<std::string> seen;
    while (!text_.empty()) {
      const std::vector<std::string> cells = split_list(next_line());
      if (cells.size() != 4) wrong(line_text_, "4 cells, not " + std::to_string(cells.size()));
      space.points.push_back(point_of(cells));
      const RecordedPoint& p = space.points.back();
      if (!seen.insert(p.packing.text() + "," + p.point.text()).second) {
        stop(quote(cells[1]) + ": this point stands twice");
      }
    }
    if (space.points.empty()) stop("no points");
    return space;
  }

 private:
  [[noreturn]] void stop(const std::string& what) const {
    fail(file_ + ": line " + std::to_string(line_) + ": " + what);
  }
  [[noreturn]] void wrong(std::string_view found, const std::string& wanted) const {
    stop(quote(found) + ", wanted " + wanted);
  }

  std::string_view next_line() {
    ++line_;
    const size_t end = text_.find('\n');
    if (end == std::string_view::npos) {
      wrong(text_, text_.empty() ? "another line" : "a line's end");
    }
    line_text_ = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    const auto plain = [](char c) { return c >= ' ' && c <= '~'; };
    if (!std::all_of(line_text_.begin(), line_text_.end(), plain)) {
      wrong(line_text_, "printable ASCII");
    }
    return line_text_;
  }

  /// Up to the first line that is none of the header's.
  void read_header() {
    while (next_line().starts_with("# ")) {
      const size_t colon = line_text_.find(": ");
      if (colon == std::string_view::npos) wrong(line_text_, "'# name: value'");
      const std::string name(line_text_.substr(2, colon - 2));
      if (!header_.emplace(name, line_text_.substr(colon + 2)).second) {
        stop(quote(name) + " stands twice");
      }
    }
  }

  std::string text_of(const char* name) {
    const auto found = header_.extract(name);
    if (found.empty()) stop(std::string("no line '# ") + name + ": …' before it");
    return found.mapped();
  }

  int64_t integer_of(const char* name, int64_t least, int64_t most) {
    const std::string text = text_of(name);
    int64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || rest != end || value < least || value > most) {
      stop(std::string(name) + ": " + quote(text) + ", wanted a whole number from " +
           std::to_string(least) + " to " + std::to_string(most));
    }
    return value;
  }

  /// What the readers of single values throw, with the place in front.
  template <typename Read>
  void placed(Read read) const {
    try {
      read();
    } catch (const Error& e) {
      stop(e.what());
    }
  }

  RecordedSpace space_of_header() {
    RecordedSpace s;
    FfnSpec& ffn = s.key.ffn;
    const std::string variant = text_of("variant"), parameters = text_of("parameters");
    const std::string dtype = text_of("dtype"), target = text_of("target");
    placed([&] {
      ffn.variant = variant_named(variant);
      read_parameters(parameters, ffn.variant, "parameters");
      set_dtypes(ffn, dtype);
      s.key.target = target_named(target).target;
    });
    ffn.shape = {integer_of("d_model", 1, kMaxDimension), integer_of("d_ff", 1, kMaxDimension)};
    ffn.bias = integer_of("bias", 0, 1) == 1;
    ffn.residual = integer_of("residual", 0, 1) == 1;
    s.rows = integer_of("rows", 1, int64_t{1} << 20);
    s.key.threads = static_cast<int>(integer_of("threads", 1, 1024));
    s.key.cpu = s.caches.name = text_of("cpu");
    constexpr int64_t kLargestCache = int64_t{1} << 40;
    s.caches.l1d = integer_of("l1d", 1, kLargestCache);
    s.caches.l2 = integer_of("l2", 1, kLargestCache);
    s.caches.l3 = integer_of("l3", 1, kLargestCache);
    s.key.halide_version = text_of("halide_version");
    s.key.generator_version = static_cast<int>(integer_of("generator_version", 0, INT32_MAX));
    if (!header_.empty()) stop("unknown " + quote(header_.begin()->first) + " before it");
    return s;
  }

  RecordedPoint point_of(const std::vector<std::string>& cells) const {
    RecordedPoint p;
    placed([&] {
      p.packing = parse_packing(cells[0]);
      p.point = parse_point(cells[1]);
      p.kind = trial_kind_named(cells[2]);
    });
    if (p.kind != TrialKind::ok) {
      if (!cells[3].empty()) wrong(cells[3], "no ms for what failed");
      return p;
    }
    const char* const end = cells[3].data() + cells[3].size();
    const auto [rest, error] = std::from_chars(cells[3].data(), end, p.ms);
    if (error != std::errc() || rest != end || !std::isfinite(p.ms) || !(p.ms > 0)) {
      wrong(cells[3], "ms above 0");
    }
    return p;
  }

  std::string_view text_, line_text_;
  std::string file_;
  int line_ = 0;
  std::map<std::string, std::string> header_;
};

}  // namespace

RecordedSpace parse_recorded_space(std::string_view csv, const std::string& file) {
  return Parser(csv, file).space();
}

}  // namespace gatefold
