#include "tuning/sweep_file.h"

#include <algorithm>

#include "formats/mapped_file.h"
#include "gatefold/gatefold.h"
#include "spec/error.h"
#include "spec/names.h"
#include "spec/presets.h"
#include "spec/variant.h"
#include "tuning/budget.h"
#include "tuning/host.h"
#include "tuning/strategy.h"
#include "tuning/toml_reader.h"

namespace gatefold {
namespace {

constexpr int64_t kMostThreads = 1024, kMostTrials = 1000000;

std::string preset(const TomlValue& v) { return preset_named(v.text()).name; }
std::string variant(const TomlValue& v) { return variant_named(v.text()).name; }
DType dtype(const TomlValue& v) { return dtype_named(v.text()); }
DType sums(const TomlValue& v) {
  const DType type = dtype(v);
  if (type == DType::bf16) v.wrong("f32 or f16");
  return type;
}
bool boolean(const TomlValue& v) { return v.boolean(); }
int threads(const TomlValue& v) { return static_cast<int>(v.integer(1, kMostThreads)); }
int64_t row_count(const TomlValue& v) { return v.integer(1, kMaxDimension); }

Target target(const TomlValue& v) {
  const std::string name = v.text();
  if (name == "host") return host_target();
  const TargetInfo& target = target_named(name);
  if (target.device != Device::cpu) {
    fail_usage("target '" + name + "' is of a device (" + gatefold::name(target.device) +
               "), wanted one of a CPU: `sweep` knows no others");
  }
  return target.target;
}

/// "4096x11008"; nothing if it is none.
std::optional<Shape> read_shape(const std::string& text) {
  const size_t parted = text.find('x');
  if (parted == std::string::npos) return std::nullopt;
  try {
    const Shape shape = {parse_dimension(text.substr(0, parted), ""),
                         parse_dimension(text.substr(parted + 1), "")};
    return shape.fixed() ? std::optional(shape) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

Shape size(const TomlValue& v) {
  if (const auto shape = read_shape(v.text())) return *shape;
  v.wrong("D_MODELxD_FF such as '4096x11008', each from 1 to " + std::to_string(kMaxDimension));
}

std::vector<int64_t> rows(const TomlValue& v) {
  std::vector<int64_t> rows = v.list(row_count);
  if (!std::is_sorted(rows.begin(), rows.end())) v.wrong("row counts in ascending order");
  return rows;
}

double budget(const TomlValue& v) {
  if (!v.is_text()) v.wrong("a time in quotes such as '60s' or '10m'");
  return parse_budget(v.text(), "time");
}

std::string strategy(const TomlValue& v) {
  check_strategy(v.text());
  return v.text();
}

struct Key {
  std::string name;
  void (*read)(SweepFile&, const TomlValue&);
};

const std::vector<Key>& keys() {
  static const std::vector<Key> all = {
      {"presets", [](SweepFile& f, const TomlValue& v) { f.presets = v.list(preset); }},
      {"variants", [](SweepFile& f, const TomlValue& v) { f.variants = v.list(variant); }},
      {"sizes", [](SweepFile& f, const TomlValue& v) { f.sizes = v.list(size); }},
      {"dtypes", [](SweepFile& f, const TomlValue& v) { f.dtypes = v.list(dtype); }},
      {"act_dtypes", [](SweepFile& f, const TomlValue& v) { f.act_dtypes = v.list(dtype); }},
      {"accumulate",
       [](SweepFile& f, const TomlValue& v) {
         f.accumulate = v.is_text() ? std::vector{sums(v)} : v.list(sums);
       }},
      {"targets", [](SweepFile& f, const TomlValue& v) { f.targets = v.list(target); }},
      {"rows", [](SweepFile& f, const TomlValue& v) { f.rows = rows(v); }},
      {"threads", [](SweepFile& f, const TomlValue& v) { f.threads = v.list(threads); }},
      {"bias", [](SweepFile& f, const TomlValue& v) { f.bias = v.list(boolean); }},
      {"residual", [](SweepFile& f, const TomlValue& v) { f.residual = v.list(boolean); }},
      {"trials",
       [](SweepFile& f, const TomlValue& v) {
         f.trials = static_cast<int>(v.integer(1, kMostTrials));
       }},
      {"effort",
       [](SweepFile& f, const TomlValue& v) { f.trials = effort_named(v.text()).trials; }},
      {"budget", [](SweepFile& f, const TomlValue& v) { f.budget_s = budget(v); }},
      {"strategy", [](SweepFile& f, const TomlValue& v) { f.strategy = strategy(v); }},
      {"seed", [](SweepFile& f,
                  const TomlValue& v) { f.seed = static_cast<uint64_t>(v.integer(0, INT64_MAX)); }},
      {"export",
       [](SweepFile& f, const TomlValue& v) {
         f.export_file = v.text();
         if (f.export_file.empty()) v.wrong("a file's name");
       }},
      {"transfer", [](SweepFile& f, const TomlValue& v) { f.transfer = v.boolean(); }},
  };
  return all;
}

void read_key(SweepFile& sweep, const std::string& name, const toml::node& node,
              const std::string& file) {
  const TomlValue value(node, file, name);
  value.named([&] {
    find_named(keys(), name, "key").read(sweep, value);
    return true;
  });
}

/// Whether `table` has exactly one of the keys that say how much is tried.
void check_work(const toml::table& table, const std::string& file) {
  std::string first;
  for (const char* key : {"trials", "effort", "budget"}) {
    if (!table.contains(key)) continue;
    if (!first.empty()) {
      fail_usage(file + ": " + key + " beside " + first + ", wanted one of them");
    }
    first = key;
  }
  if (first.empty()) {
    fail_usage(file + ": none of trials, effort and budget is there, wanted one of them");
  }
}

void check_blocks(const SweepFile& sweep, const std::string& file) {
  const auto missing = [&](const char* key, const char* beside) {
    fail_usage(file + ": " + key + ": missing, wanted it beside " + beside);
  };
  if (sweep.presets.empty() && sweep.variants.empty() && sweep.sizes.empty()) {
    fail_usage(file + ": no block, wanted presets, or variants and sizes");
  }
  if (sweep.variants.empty() && !sweep.sizes.empty()) missing("variants", "sizes");
  if (sweep.sizes.empty() && !sweep.variants.empty()) missing("sizes", "variants");
}

}  // namespace

SweepFile parse_sweep(std::string_view text, const std::string& file) {
  const toml::table table = parse_toml(text, file);
  SweepFile sweep;
  for (const auto& [key, node] : table) read_key(sweep, std::string(key.str()), node, file);
  check_work(table, file);
  check_blocks(sweep, file);
  if (sweep.dtypes.empty()) sweep.dtypes = {host_dtype()};
  if (sweep.targets.empty()) sweep.targets = {host_target()};
  if (sweep.threads.empty()) sweep.threads = {gf_default_threads()};
  return sweep;
}

SweepFile load_sweep(const std::filesystem::path& path) {
  constexpr size_t kMostBytes = size_t{1} << 24;
  const MappedFile file = MappedFile::open(path);
  if (file.bytes().size() > kMostBytes) {
    fail(path.string() + ": " + std::to_string(file.bytes().size()) + " bytes, wanted at most " +
         std::to_string(kMostBytes) + " for a sweep file");
  }
  const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()),
                              file.bytes().size());
  return parse_sweep(text, path.string());
}

}  // namespace gatefold
