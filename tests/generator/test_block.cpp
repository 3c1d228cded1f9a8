#include "tests/generator/test_block.h"

#include "tests/support/paths.h"

namespace gatefold::test {

LibraryPlan default_plan(const FfnSpec& ffn, Target target, const std::vector<int64_t>& rows) {
  LibraryPlan plan{.name = "block", .ffn = ffn, .kernels = {}};
  for (const RowBucket& bucket : row_buckets(rows)) {
    KernelSpec k{ffn, target, bucket, legal_packings(ffn, target).front(), {}};
    k.point = default_point(k, cpu_profile_named("generic"));
    plan.kernels.push_back({k, {}});
  }
  return plan;
}

LibraryOptions options_in(const TemporaryFolder& folder) {
  LibraryOptions options;
  options.emitter = std::filesystem::path(binary_dir()) / "gatefold-emit";
  options.directory = folder.path();
  return options;
}

Weights::Weights(int64_t d_model_in, int64_t d_ff_in)
    : d_model(d_model_in),
      d_ff(d_ff_in),
      gate(d_model * d_ff),
      up(d_model * d_ff),
      down(d_model * d_ff),
      gate_bias(d_ff),
      up_bias(d_ff),
      down_bias(d_model) {}

TestBlock::TestBlock(const FfnSpec& ffn, const std::vector<int64_t>& rows) : ffn_(ffn) {
  LibraryOptions options = options_in(folder_);
  options.shared_only = true;
  const auto so = build_library(default_plan(ffn, Target::x86_avx2, rows), options);
  library_ = std::make_unique<Library>(Library::open(so.string()));
}

std::vector<float> TestBlock::run(const Weights& w, const std::vector<float>& x) const {
  gf_ffn_weights given = weights();
  if (ffn_.variant.gated) given.gate = tensor(w.gate.data(), w.d_ff, w.d_model);
  given.up = tensor(w.up.data(), w.d_ff, w.d_model);
  given.down = tensor(w.down.data(), w.d_model, w.d_ff);
  if (ffn_.bias) {
    if (ffn_.variant.gated) given.gate_bias = tensor(w.gate_bias.data(), w.d_ff);
    given.up_bias = tensor(w.up_bias.data(), w.d_ff);
    given.down_bias = tensor(w.down_bias.data(), w.d_model);
  }
  Ffn ffn(*library_, w.d_model, w.d_ff, given, options(2));
  std::vector<float> y(x.size());
  ffn.run(x.data(), y.data(), int64_t(x.size()) / w.d_model);
  return y;
}

}  // namespace gatefold::test
