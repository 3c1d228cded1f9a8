#include "accuracy/agreement.h"

#include <algorithm>
#include <vector>

#include "accuracy/kernel_list.h"
#include "spec/error.h"

namespace gatefold {
namespace {

/// Compares what both say of one thing, field by field.
class Comparison {
 public:
  Comparison(const Manifest& manifest, std::string where)
      : manifest_(manifest), where_(std::move(where)) {}

  void same(const char* field, const std::string& said, const std::string& is) const {
    if (said == is) return;
    fail(where_ + field + ": " + said + ", but " + manifest_.shared_object.string() + " holds " +
         is);
  }

 private:
  const Manifest& manifest_;
  std::string where_;
};

void check_block(const Manifest& manifest, const FfnSpec& table) {
  const Comparison is(manifest, manifest.path.string() + ": ");
  const auto said = [](bool flag) { return flag ? "true" : "false"; };
  is.same("variant", manifest.ffn.variant.formula(), table.variant.formula());
  is.same("variant", manifest.ffn.variant.name, table.variant.name);
  is.same("dtype", manifest.ffn.dtypes(), table.dtypes());
  is.same("shape", manifest.ffn.shape.text(), table.shape.text());
  is.same("bias", said(manifest.ffn.bias), said(table.bias));
  is.same("residual", said(manifest.ffn.residual), said(table.residual));
}

std::string rows_text(int64_t rows) {
  return rows == RowBucket::kOpen ? "no end" : std::to_string(rows);
}

/// What a table knows of a packing: to how many lines k is padded is part of the step there.
std::string packing_text(const gf_packing& p) {
  return "panel=" + std::to_string(p.panel) + " pair=" + std::to_string(p.pair) +
         " k_step=" + std::to_string(p.k_step) + " group=" + std::to_string(p.group);
}

std::string packing_text(const Manifest::Kernel& kernel, const std::string& where) {
  try {
    const Packing p = parse_packing(kernel.packing);
    return packing_text(gf_packing{p.panel, p.pair, p.k_step * p.k_lines, p.group});
  } catch (const Error& error) {
    fail(where + "field 'packing': " + error.what());
  }
}

void check_kernel(const Manifest& manifest, size_t index, const gf_kernel& table) {
  const Manifest::Kernel& kernel = manifest.kernels.at(index);
  const std::string where = manifest.path.string() + ": kernels[" + std::to_string(index) + "]: ";
  const Comparison is(manifest, where);
  is.same("field 'name'", kernel.name, table.name);
  is.same("field 'target'", kernel.target, table.target);
  is.same("field 'rows_min'", rows_text(kernel.rows_min), rows_text(table.rows_min));
  is.same("field 'rows_max'", rows_text(kernel.rows_max), rows_text(table.rows_max));
  is.same("field 'packing'", packing_text(kernel, where), packing_text(table.packing));
  is.same("field 'point'", kernel.point, table.point);
  is.same("field 'origin'", kernel.origin, table.origin);
}

}  // namespace

/// Both lists are in one order, that of the plan they were made from.
void check_agreement(const Manifest& manifest, const gf_kernel_table& table, const FfnSpec& ffn) {
  check_block(manifest, ffn);
  const std::vector<const gf_kernel*> kernels = all_kernels(table);
  for (size_t i = 0; i < std::min(kernels.size(), manifest.kernels.size()); ++i) {
    check_kernel(manifest, i, *kernels[i]);
  }
  Comparison(manifest, manifest.path.string() + ": ")
      .same("kernels", std::to_string(manifest.kernels.size()), std::to_string(kernels.size()));
}

}  // namespace gatefold
