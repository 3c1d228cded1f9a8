#include "accuracy/known_values.h"

#include <cmath>
#include <limits>

namespace gatefold {
namespace {

constexpr double kSixDigits = 1e-5;
constexpr float kInf = std::numeric_limits<float>::infinity();

struct Known {
  Variant variant;
  std::vector<KnownValue> values;
};

struct Worked {
  float gate, up;
  double hidden;
};

/// The table while it is put together.
class Table {
 public:
  std::vector<Known> entries;

  std::vector<KnownValue>& of(const Variant& variant) {
    for (Known& known : entries) {
      if (known.variant.name == variant.name && known.variant.formula() == variant.formula())
        return known.values;
    }
    entries.push_back({variant, {}});
    return entries.back().values;
  }
  void worked(const Variant& variant, const std::vector<Worked>& cases) {
    for (const Worked& c : cases) of(variant).push_back({c.gate, c.up, c.hidden, kSixDigits});
  }
  void worked(const char* name, const std::vector<Worked>& cases) {
    worked(variant_named(name), cases);
  }
  /// Of a dense variant, where the activation is at a limit.
  void limit(const Variant& variant, float up, double hidden) {
    of(variant).push_back({0, up, hidden, 0});
  }
  void limit(const char* name, float up, double hidden) { limit(variant_named(name), up, hidden); }
};

Variant silu_with(float alpha) {
  Variant silu = variant_named("silu");
  silu.alpha = alpha;
  return silu;
}

Variant leaky_with(float slope) {
  Variant leaky = variant_named("leaky_relu");
  leaky.slope = slope;
  return leaky;
}

void add_dense(Table& table) {
  table.worked("silu", {{0, 3, 2.857722}, {0, -3, -0.142278}, {0, -90, -7.374611e-38}});
  table.worked("relu", {{0, 8, 8}, {0, -8, 0}});
  table.worked("relu2", {{0, 3, 9}, {0, -3, 0}});
  table.worked("quick_gelu", {{0, 1, 0.845796}, {0, -1, -0.154204}, {0, 0.25f, 0.151200}});
  table.worked("leaky_relu", {{0, -3, -0.03}, {0, 3, 3}});
  // A slope above one must not turn it into a maximum.
  table.worked(leaky_with(2), {{0, -3, -6}, {0, 3, 3}});
  table.worked(leaky_with(-0.5f), {{0, -3, 1.5}, {0, 3, 3}});
  // The exact gelu and the tanh form are two functions.
  table.worked("gelu", {{0, -2.7f, -9.360829e-3},
                        {0, 0.25f, 0.1496766},
                        {0, 2.5f, 2.4844758},
                        {0, -3.5f, -8.142018e-4},
                        {0, -6, -5.919526e-9}});
  table.worked("gelu_tanh", {{0, -2.7f, -8.887595e-3}, {0, -6, -8.439647e-11}});
}

void add_gated(Table& table) {
  table.worked("swiglu", {{3, 2, 5.715445},
                          {-3, 2, -0.284555},
                          {3, 8, 22.861778},
                          {-3, 8, -1.138221},
                          {2, 3, 5.284782}});
  Variant clamped = variant_named("swiglu");
  clamped.limit = 7;
  table.worked(clamped, {{100, 100, 48.95535}});
  table.worked("swiglu_oai", {{10, -10, -41.999719},
                              {-10, 1, -8.115923e-7},
                              {1, 0, 0.845796},
                              {2, 3, 7.742634},
                              {100, 100, 55.999625}});
  table.worked("glu", {{2, 1, 0.880797}, {3, 1, 0.9525741}, {-3, 1, 0.04742587}});
  table.worked("reglu", {{2, 8, 16}, {-2, 8, 0}});
  table.worked("bilinear", {{-2, 3, -6}});
  table.worked("geglu", {{0.25f, 1, 0.1496766}, {2.5f, 2, 4.9689516}});
  table.worked("geglu_tanh", {{-2.7f, 1, -8.887595e-3}});
}

/// silu of numbers far out, within the accuracy of the sigmoid.
void add_far_silu(Table& table, float alpha, const std::vector<float>& values) {
  for (const float z : values) {
    const double silu = double{z} / (1 + std::exp(-double{alpha} * double{z}));
    table.of(silu_with(alpha)).push_back({0, z, silu, 1e-6});
  }
}

void add_limits(Table& table) {
  for (const char* gelu : {"gelu", "gelu_tanh"}) {
    for (float z : {10.5f, 13.24f, 20.625f, 300.0f, 65504.0f, 3e38f}) table.limit(gelu, z, z);
    table.limit(gelu, -3e38f, 0);
  }
  table.limit("silu", 3e38f, 3e38f);
  table.limit("silu", -3e38f, 0);
  table.limit("silu", -1662.7f, 0);
  for (const char* name : {"silu", "gelu", "gelu_tanh", "quick_gelu", "relu"})
    table.limit(name, -kInf, 0);
  for (const char* name : {"silu", "gelu"}) table.limit(name, kInf, kInf);
  add_far_silu(table, 0, {-2000.0f, -1000.5f, -3.0f, 1500.0f, 1e6f});
  add_far_silu(table, 0.001f, {-2000.0f, -20000.0f, 2000.0f});
  add_far_silu(table, -1, {-2000.0f, -1e30f, 40.0f});
  for (float infinity : {-kInf, kInf}) table.limit(silu_with(0), infinity, infinity);
  table.limit(silu_with(0.001f), -kInf, 0);
  table.limit(silu_with(-1), -kInf, -kInf);
  table.limit(silu_with(-1), kInf, 0);
}

const std::vector<Known>& all_known() {
  static const std::vector<Known> all = [] {
    Table table;
    add_dense(table);
    add_gated(table);
    add_limits(table);
    return table.entries;
  }();
  return all;
}

}  // namespace

std::vector<KnownValue> known_values(const Variant& variant) {
  for (const Known& known : all_known()) {
    if (known.variant.name == variant.name && known.variant.formula() == variant.formula())
      return known.values;
  }
  return {};
}

std::vector<Variant> variants_with_known_values() {
  std::vector<Variant> variants;
  for (const Known& known : all_known()) variants.push_back(known.variant);
  return variants;
}

}  // namespace gatefold
