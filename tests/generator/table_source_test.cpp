#include "generator/table_source.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/generator/test_block.h"

namespace gatefold::test {
namespace {

/// The kernel of a library with one record.
class Opened {
 public:
  explicit Opened(const KernelRecord& record) {
    const FfnSpec ffn{variant_named("swiglu"), DType::f32, {16, 40}, false};
    LibraryPlan plan = default_plan(ffn, Target::x86_avx2, {8});
    plan.kernels[0].record = record;
    LibraryOptions options = options_in(folder_);
    options.shared_only = true;
    library_ = std::make_unique<Library>(Library::open(build_library(plan, options).string()));
  }
  const Library& library() const { return *library_; }
  const gf_kernel& kernel() const { return library_->table().kernels[0]; }

 private:
  TemporaryFolder folder_;
  std::unique_ptr<Library> library_;
};

TEST(TableSource, TextsAreNotReadAsC) {
  KernelRecord record;
  record.runner_up =
      "\?\?/ \?\?' %s {} \\ \" \t\n\x01"
      "7 \x7f é";
  EXPECT_EQ(Opened(record).kernel().runner_up, record.runner_up);
}

TEST(TableSource, NumbersThatAreNotFinite) {
  KernelRecord record;
  record.margin_pct = std::numeric_limits<double>::quiet_NaN();
  record.efficiency = -std::numeric_limits<double>::infinity();
  const Opened opened(record);
  EXPECT_TRUE(std::isnan(opened.kernel().margin_pct));
  EXPECT_EQ(opened.kernel().efficiency, *record.efficiency);
  EXPECT_TRUE(std::isnan(opened.kernel().median_ms)) << "not known";
}

/// A second runtime in the process, as a plug-in's static copy: its own hooks, which count.
struct OtherRuntime {
  gf_context head;
  void* first = nullptr;  ///< the context of the runtime that called
  int loops = 0;
  int64_t blocks = 0;

  static OtherRuntime& of(void* context) { return *static_cast<OtherRuntime*>(context); }
};

constexpr gf_hooks kOtherHooks = {
    [](void* context, int (*task)(void*, int, uint8_t*), int min, int count, uint8_t* closure) {
      ++OtherRuntime::of(context).loops;
      int result = 0;
      for (int i = min; i < min + count && result == 0; ++i) result = task(context, i, closure);
      return result;
    },
    [](void* context, size_t bytes) {
      OtherRuntime& other = OtherRuntime::of(context);
      ++other.blocks;
      return static_cast<gf_context*>(other.first)->hooks->allocate(other.first, bytes);
    },
    [](void* context, void* memory) {
      void* first = OtherRuntime::of(context).first;
      static_cast<gf_context*>(first)->hooks->release(first, memory);
    },
    [](void*, const char*) {}, nullptr};

int (*g_compiled)(void** args);
OtherRuntime g_other;

/// The compiled kernel, called with another runtime's context.
int call_as_other(void** args) {
  void* other = &g_other;
  g_other.first = *static_cast<void**>(args[0]);
  args[0] = &other;
  return g_compiled(args);
}

TEST(TableSource, KernelsTakeTheHooksOfTheCall) {
  const Opened opened({});
  g_other = {{&kOtherHooks}};
  g_compiled = opened.kernel().call;
  gf_kernel kernel = opened.kernel();
  kernel.call = call_as_other;
  gf_kernel_table table = opened.library().table();
  table.kernels = &kernel;
  const Library other = Library::link(&table);
  const Weights w(16, 40);
  gf_ffn_weights given = weights();
  given.gate = given.up = tensor(w.gate.data(), 40, 16);
  given.down = tensor(w.down.data(), 16, 40);
  Ffn of_first(opened.library(), 16, 40, given, options(2)), of_other(other, 16, 40, given);
  std::vector<float> x(64 * 16, 1), y(x);
  of_first.run(x.data(), y.data(), 64);
  EXPECT_EQ(g_other.loops + g_other.blocks, 0) << "the first runtime's call";
  of_other.run(x.data(), y.data(), 64);
  EXPECT_GT(g_other.loops, 0);
  EXPECT_GT(g_other.blocks, 0);
}

}  // namespace
}  // namespace gatefold::test
