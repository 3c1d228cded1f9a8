#include <gtest/gtest.h>

#include <functional>

#include "spec/error.h"
#include "tests/mlir/blocks.h"
#include "tests/mlir/interpreted_block.h"
#include "tests/mlir/ptx_edit.h"

namespace gatefold::test {
namespace {

constexpr const char* kHidden = "block_hidden";
constexpr const char* kDown = "block_down";

/// A gated block with biases whose activation adds nothing, so that the sums in f32 outside of the
/// matrix products are those of the biases. Its k loops go round their rings of three stages
/// and end at the first, where the sums are put.
class SeededFault : public testing::Test {
 protected:
  SeededFault() {
    spec_.ffn.shape = {100, 200};
    spec_.ffn.bias = true;
    kernel_ = tensor_core_kernel(
        spec_, parse_tensor_core_point("bm=32 bn=32 bk=32 stages=3 warps_m=2 warps_n=2 split_k=1"),
        80, "block");
    ptx_ = tensor_core_ptx(*kernel_);
  }

  /// What is wrong with the kernels of this text: a fault, or how far off they are; empty: nothing.
  std::string trouble_of(const std::string& ptx) {
    const FfnData data(spec_.ffn, 7, 1);
    InterpretedBlock block(*kernel_, ptx, data);
    try {
      const double error = error_of(data, block.run({.count = kRows}).y, kRows);
      return error <= allowed_error(DType::bf16) ? "" : "error " + std::to_string(error);
    } catch (const ptx::Fault& fault) {
      return fault.what();
    }
  }

  void expect_caught(const std::string& edited, const std::string& which) {
    ASSERT_NE(edited, ptx_) << which << ": the edit found nothing";
    EXPECT_NE(trouble_of(edited), "") << which;
  }

  static constexpr int64_t kRows = 33;
  KernelSpec spec_ = tensor_core_spec("reglu", DType::bf16);
  std::optional<TensorCoreKernel> kernel_;
  std::string ptx_;
};

TEST_F(SeededFault, NoneIsNotCaught) { EXPECT_EQ(trouble_of(ptx_), ""); }

/// In the k loop, before the sums take the stages' place, and before the epilogue reads them.
TEST_F(SeededFault, MissingBarrier) {
  for (const char* entry : {kHidden, kDown}) {
    for (int i = 0; i < 3; ++i) {
      const std::string which = entry + (" " + std::to_string(i));
      expect_caught(edit(ptx_, entry, "bar\\.sync\\s+0;", "", i), which);
    }
  }
}

TEST_F(SeededFault, WrongWaitCount) {
  expect_caught(edit(ptx_, kHidden, "cp\\.async\\.wait_group\\s+1;", "cp.async.wait_group 2;"),
                kHidden);
  expect_caught(edit(ptx_, kDown, "cp\\.async\\.wait_group\\s+1;", "cp.async.wait_group 2;"),
                kDown);
}

/// Neither operand wants the transpose: rows of x and columns of the weights have their k together.
TEST_F(SeededFault, SuperfluousTranspose) {
  for (int i = 0; i < 3; ++i) {
    expect_caught(edit(ptx_, kHidden, "(ldmatrix[.\\w]*\\.x4)", "$1.trans", i), std::to_string(i));
  }
}

TEST_F(SeededFault, SwappedFragments) {
  const std::string mma =
      "(mma\\.sync[^;]*?\\},\\s*\\{)(%\\w+),\\s*(%\\w+),\\s*(%\\w+),\\s*(%\\w+)";
  expect_caught(edit(ptx_, kHidden, mma, "$1$2, $4, $3, $5"), kHidden);
  expect_caught(edit(ptx_, kDown, mma, "$1$3, $2, $4, $5"), kDown);
}

TEST_F(SeededFault, SwappedGateAndUp) {
  const auto at = [&](const char* name) {
    for (size_t i = 0; i < kernel_->hidden.parameters.size(); ++i) {
      if (kernel_->hidden.parameters[i].name == name) {
        return "\\[block_hidden_param_" + std::to_string(i) + "\\]";
      }
    }
    return std::string();
  };
  const auto text = [](std::string pattern) {
    std::erase(pattern, '\\');
    return pattern;
  };
  std::string swapped = edit(ptx_, kHidden, at("gate"), "[other]");
  swapped = edit(swapped, kHidden, at("up"), text(at("gate")));
  expect_caught(edit(swapped, kHidden, "\\[other\\]", text(at("up"))), "gate, up");
}

TEST_F(SeededFault, DroppedBias) {
  const std::string sum = "add\\.rn\\.f32\\s+(%\\w+), (%\\w+), (%\\w+);";
  for (const char* entry : {kHidden, kDown}) {
    ASSERT_GE(count(ptx_, entry, sum), 8);
    for (int i : {0, 7}) expect_caught(edit(ptx_, entry, sum, "mov.b32 $1, $2;", i), entry);
  }
}

TEST_F(SeededFault, OffByOneTail) {
  for (const char* entry : {kHidden, kDown}) {
    const std::string rows = register_of(ptx_, entry, "rows", *kernel_);
    ASSERT_NE(rows, "");
    expect_caught(one_more(ptx_, entry, rows), entry);
  }
}

/// The barrier of the k loop stands behind the copies: those overwrite a stage that other warps may
/// still read.
TEST_F(SeededFault, Race) {
  for (const char* entry : {kHidden, kDown}) {
    const std::string without = edit(ptx_, entry, "bar\\.sync\\s+0;", "");
    expect_caught(edit(without, entry, "(ldmatrix)", "bar.sync 0;\n\t$1"), entry);
  }
}

}  // namespace
}  // namespace gatefold::test
