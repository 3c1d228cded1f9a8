#include "tests/generator/compiled_block.h"

#include <random>

#include "accuracy/ffn_data.h"

namespace gatefold::test {
namespace {

CompiledBlock::Bytes random_stored(DType dtype, int64_t count, float scale, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-scale, scale);
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = uniform(random);
  return stored_as(dtype, values);
}

FfnSpec swiglu_in(const char* dtypes) {
  FfnSpec ffn{.variant = variant_named("swiglu"),
              .shape = {CompiledBlock::kModel, CompiledBlock::kHidden}};
  set_dtypes(ffn, dtypes);
  return ffn;
}

}  // namespace

CompiledBlock::CompiledBlock(Target target, const char* dtypes)
    : ffn_(swiglu_in(dtypes)), hidden_(hidden_dtype(ffn_, target)) {
  LibraryOptions options = options_in(folder_);
  options.shared_only = true;
  const auto so = build_library(default_plan(ffn_, target, {1, 4, 16}), options);
  library_ = std::make_unique<Library>(Library::open(so.string()));
  for (uint32_t m = 0; m < 3; ++m)
    stored_[m] = random_stored(ffn_.dtype, kModel * kHidden, 0.3f, m);
}

gf_dtype CompiledBlock::act() const { return runtime_dtype(ffn_.act()); }

Ffn CompiledBlock::make(const void* gate, const void* up, const void* down, int threads) const {
  const gf_dtype dtype = runtime_dtype(ffn_.dtype);
  gf_ffn_weights w = weights();
  w.gate = tensor(gate, dtype, kHidden, kModel);
  w.up = tensor(up, dtype, kHidden, kModel);
  w.down = tensor(down, dtype, kModel, kHidden);
  return Ffn(*library_, kModel, kHidden, w, options(threads));
}

CompiledBlock::Bytes CompiledBlock::input(int64_t count) const {
  return random_stored(ffn_.act(), count * kModel, 1.0f, 7);
}

CompiledBlock::Bytes CompiledBlock::run(Ffn& ffn, const Bytes& x) const {
  Bytes y(x.size(), 0xee);
  const int64_t count = static_cast<int64_t>(x.size()) / (kModel * size());
  ffn.run(rows(const_cast<uint8_t*>(x.data()), count), rows(y.data(), count));
  return y;
}

bool CompiledBlock::right(const Bytes& x, const uint8_t* y) const {
  std::vector<float> w[3];
  for (int m = 0; m < 3; ++m) w[m] = loaded_from(ffn_.dtype, stored_[m].data(), kModel * kHidden);
  ReferenceBlock block;
  block.variant = variant_named("swiglu");
  block.d_model = kModel;
  block.d_ff = kHidden;
  block.gate = w[0].data();
  block.up = w[1].data();
  block.down = w[2].data();
  const size_t count = x.size() / static_cast<size_t>(size());
  const std::vector<float> in = loaded_from(ffn_.act(), x.data(), count);
  const Tolerance t = tolerance(ffn_.act(), hidden_, kModel, kHidden, ffn_.accumulate);
  const auto reference = reference_ffn(block, in.data(), static_cast<int64_t>(count) / kModel);
  return acceptable(compare(loaded_from(ffn_.act(), y, count), reference, t), t, kModel, kHidden);
}

}  // namespace gatefold::test
