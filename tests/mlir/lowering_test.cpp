#include "generator/mlir/lowering.h"

#include <gtest/gtest.h>

#include "generator/mlir/builder.h"
#include "spec/error.h"

namespace gatefold::test {
namespace {

/// A kernel whose body `fill` appends, as PTX.
std::string ptx_of(const std::function<void(Builder&)>& fill) {
  PtxModule module(80);
  Builder b(module.body(), DType::bf16);
  b.begin_kernel("kernel", {{"out", true}, {"n", false}}, 32);
  fill(b);
  b.end_kernel();
  return module.ptx();
}

std::string refusal_of(const std::function<void(Builder&)>& fill) {
  try {
    ptx_of(fill);
    return "none";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Lowering, AKernelBecomesAnEntry) {
  const std::string ptx =
      ptx_of([](Builder& b) { b.store(b.parameter("out"), {b.parameter("n")}); });
  EXPECT_NE(ptx.find(".visible .entry kernel("), std::string::npos) << ptx;
  EXPECT_NE(ptx.find("st.global.b32"), std::string::npos) << ptx;
  EXPECT_NE(ptx.find(".maxntid 32, 1, 1"), std::string::npos) << ptx;
}

TEST(Lowering, AnInvalidOperationIsAnErrorWithMlirsWords) {
  const std::string refusal =
      refusal_of([](Builder& b) { b.add(b.parameter("n"), b.widened(b.parameter("n"))); });
  EXPECT_NE(refusal.find("MLIR: the kernels are not valid: 'arith.addi' op requires the same type"),
            std::string::npos)
      << refusal;
}

TEST(Lowering, ACastThatIsLeftOverIsAnError) {
  const std::string refusal = refusal_of([](Builder& b) {
    mlir::OperationState cast(b.location(), "builtin.unrealized_conversion_cast");
    cast.addOperands(b.parameter("n"));
    cast.addTypes(b.operations().getF32Type());
    const Value real = b.operations().create(cast)->getResult(0);
    b.store(b.parameter("out"), {real});
  });
  EXPECT_NE(refusal.find("cast"), std::string::npos) << refusal;
}

TEST(Lowering, AnUnknownIntrinsicIsAnError) {
  const std::string refusal = refusal_of([](Builder& b) {
    mlir::OperationState call(b.location(), "llvm.call_intrinsic");
    call.addTypes(b.parameter("n").getType());
    call.addOperands(b.parameter("n"));
    call.addAttribute("intrin", b.operations().getStringAttr("llvm.no.such.thing"));
    call.addAttribute("op_bundle_sizes", b.operations().getDenseI32ArrayAttr({}));
    call.addAttribute("operandSegmentSizes", b.operations().getDenseI32ArrayAttr({1, 0}));
    const Value result = b.operations().create(call)->getResult(0);
    b.store(b.parameter("out"), {result});
  });
  EXPECT_NE(refusal.find("MLIR: no PTX could be made"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("no.such.thing"), std::string::npos) << refusal;
}

TEST(Lowering, AParameterThatAKernelDoesNotHaveIsAnError) {
  EXPECT_EQ(refusal_of([](Builder& b) { b.parameter("rows"); }), "kernel: no parameter 'rows'");
}

}  // namespace
}  // namespace gatefold::test
