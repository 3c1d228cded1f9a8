#include <SQLiteCpp/Statement.h>

#include <charconv>
#include <cmath>
#include <set>
#include <sstream>

#include "spec/error.h"
#include "spec/names.h"
#include "tuning/store_rows.h"

namespace gatefold {
namespace {

void bind_key(SQLite::Statement& s, const WorkloadKey& key) {
  s.bind(":cpu", key.cpu);
  s.bind(":isa", info(key.target).name);
  s.bind(":dtype", key.ffn.dtypes());
  s.bind(":variant", key.ffn.variant.name);
  s.bind(":parameters", parameters_text(key.ffn.variant));
  s.bind(":bias", key.ffn.bias ? 1 : 0);
  s.bind(":residual", key.ffn.residual ? 1 : 0);
  s.bind(":d_model", key.ffn.shape.d_model);
  s.bind(":d_ff", key.ffn.shape.d_ff);
  s.bind(":threads", key.threads);
  s.bind(":emulated", key.emulated ? 1 : 0);
  s.bind(":halide_version", key.halide_version);
  s.bind(":generator_version", key.generator_version);
}

}  // namespace

std::string parameters_text(const Variant& v) {
  return "slope=" + shortest(v.slope) + " alpha=" + shortest(v.alpha) +
         " limit=" + shortest(v.limit) + " up_offset=" + shortest(v.up_offset);
}

void read_parameters(const std::string& text, Variant& v, const std::string& what) {
  std::istringstream words(text);
  std::set<std::string> seen;
  for (std::string word; words >> word;) {
    const size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    float* field = key == "slope"       ? &v.slope
                   : key == "alpha"     ? &v.alpha
                   : key == "limit"     ? &v.limit
                   : key == "up_offset" ? &v.up_offset
                                        : nullptr;
    const char* end = word.data() + word.size();
    const bool read = field && equals != std::string::npos && seen.insert(key).second &&
                      std::from_chars(word.data() + equals + 1, end, *field).ptr == end;
    if (!read || !std::isfinite(*field)) fail(what + ": parameters: '" + word + "'");
  }
}

void insert_workload(SQLite::Database& database, const WorkloadKey& key) {
  SQLite::Statement insert(
      database,
      "INSERT OR IGNORE INTO workload(cpu, isa, dtype, variant, parameters, bias, residual, "
      "d_model, d_ff, threads, emulated, halide_version, generator_version) VALUES(:cpu, :isa, "
      ":dtype, :variant, :parameters, :bias, :residual, :d_model, :d_ff, :threads, :emulated, "
      ":halide_version, :generator_version)");
  bind_key(insert, key);
  insert.exec();
}

std::optional<int64_t> find_workload(SQLite::Database& database, const WorkloadKey& key) {
  SQLite::Statement find(
      database,
      "SELECT id FROM workload WHERE cpu = :cpu AND isa = :isa AND dtype = :dtype AND variant = "
      ":variant AND parameters = :parameters AND bias = :bias AND residual = :residual AND d_model "
      "= :d_model AND d_ff = :d_ff AND threads = :threads AND emulated = :emulated AND "
      "halide_version = :halide_version AND generator_version = :generator_version");
  bind_key(find, key);
  if (!find.executeStep()) return std::nullopt;
  return find.getColumn(0).getInt64();
}

int64_t stored_integer(SQLite::Statement& row, const char* name, int64_t least, int64_t most) {
  const int64_t value = row.getColumn(name).getInt64();
  if (value >= least && value <= most) return value;
  fail(std::string(name) + ": " + std::to_string(value) + ", wanted " + std::to_string(least) +
       " to " + std::to_string(most));
}

WorkloadKey read_workload(SQLite::Statement& row, const std::string& file) {
  const std::string where =
      file + ": workload " + std::to_string(row.getColumn("workload").getInt64());
  try {
    WorkloadKey key;
    key.cpu = row.getColumn("cpu").getString();
    key.target = target_named(row.getColumn("isa").getString()).target;
    set_dtypes(key.ffn, row.getColumn("dtype").getString());
    key.ffn.variant = variant_named(row.getColumn("variant").getString());
    read_parameters(row.getColumn("parameters").getString(), key.ffn.variant, where);
    key.ffn.bias = row.getColumn("bias").getInt() != 0;
    key.ffn.residual = row.getColumn("residual").getInt() != 0;
    key.ffn.shape = {stored_integer(row, "d_model", 1, kMaxDimension),
                     stored_integer(row, "d_ff", 1, kMaxDimension)};
    key.threads = static_cast<int>(stored_integer(row, "threads", 1, 1024));
    key.emulated = row.getColumn("emulated").getInt() != 0;
    key.halide_version = row.getColumn("halide_version").getString();
    key.generator_version =
        static_cast<int>(stored_integer(row, "generator_version", 0, INT32_MAX));
    return key;
  } catch (const Error& e) {
    fail(where + ": " + e.what());
  }
}

}  // namespace gatefold
