#include "generator/mlir/builder.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/GPU/IR/GPUDialect.h>
#include <mlir/Dialect/LLVMIR/LLVMTypes.h>
#include <mlir/Dialect/SCF/IR/SCF.h>

#include "spec/error.h"

namespace gatefold {
namespace {

namespace arith = mlir::arith;
namespace gpu = mlir::gpu;
namespace scf = mlir::scf;

constexpr unsigned kGlobalSpace = 1;

mlir::ValueRange range(const Values& values) { return mlir::ValueRange(values); }

}  // namespace

Builder::Builder(mlir::Block* module_body, DType half)
    : b_(module_body->getParentOp()->getContext()),
      location_(b_.getUnknownLoc()),
      dtype_(half),
      module_body_(module_body) {
  b_.setInsertionPointToEnd(module_body);
}

void Builder::begin_kernel(const std::string& name, const std::vector<KernelParameter>& parameters,
                           int threads) {
  b_.setInsertionPointToEnd(module_body_);
  const mlir::Type pointer = mlir::LLVM::LLVMPointerType::get(b_.getContext(), kGlobalSpace);
  std::vector<mlir::Type> types;
  for (const KernelParameter& p : parameters) {
    types.push_back(p.pointer ? pointer : b_.getI32Type());
  }
  auto function = gpu::GPUFuncOp::create(b_, location_, name, b_.getFunctionType(types, {}));
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b_.getUnitAttr());
  function->setAttr("nvvm.maxntid", b_.getDenseI32ArrayAttr({threads, 1, 1}));
  parameters_.clear();
  for (size_t i = 0; i < parameters.size(); ++i) {
    parameters_.emplace_back(parameters[i].name, function.getArgument(unsigned(i)));
  }
  b_.setInsertionPointToStart(&function.getBody().front());
}

void Builder::end_kernel() { gpu::ReturnOp::create(b_, location_); }

Value Builder::parameter(const std::string& name) const {
  for (const auto& [known, value] : parameters_) {
    if (known == name) return value;
  }
  fail("kernel: no parameter '" + name + "'");
}

Value Builder::constant(int64_t value, int bits) {
  return arith::ConstantIntOp::create(b_, location_, value, unsigned(bits));
}

Value Builder::number(float value) {
  return arith::ConstantFloatOp::create(b_, location_, b_.getF32Type(), llvm::APFloat(value));
}

Value Builder::add(Value a, Value b) { return arith::AddIOp::create(b_, location_, a, b); }

Value Builder::add(Value a, int64_t b) {
  return b == 0 ? a : add(a, constant(b, int(a.getType().getIntOrFloatBitWidth())));
}

Value Builder::subtract(Value a, Value b) { return arith::SubIOp::create(b_, location_, a, b); }

Value Builder::multiply(Value a, Value b) { return arith::MulIOp::create(b_, location_, a, b); }

Value Builder::multiply(Value a, int64_t b) {
  return b == 1 ? a : multiply(a, constant(b, int(a.getType().getIntOrFloatBitWidth())));
}

Value Builder::divide(Value a, Value b) { return arith::DivUIOp::create(b_, location_, a, b); }

Value Builder::divide(Value a, int64_t b) { return divide(a, constant(b)); }

Value Builder::remainder(Value a, int64_t b) {
  return arith::RemUIOp::create(b_, location_, a, constant(b));
}

Value Builder::bit_and(Value a, Value b) { return arith::AndIOp::create(b_, location_, a, b); }

Value Builder::bit_or(Value a, Value b) { return arith::OrIOp::create(b_, location_, a, b); }

Value Builder::bit_xor(Value a, Value b) { return arith::XOrIOp::create(b_, location_, a, b); }

Value Builder::shift_right(Value a, int64_t by) {
  return arith::ShRUIOp::create(b_, location_, a, constant(by));
}

Value Builder::shift_left(Value a, int64_t by) {
  return arith::ShLIOp::create(b_, location_, a, constant(by));
}

Value Builder::less(Value a, Value b) {
  return arith::CmpIOp::create(b_, location_, arith::CmpIPredicate::slt, a, b);
}

Value Builder::at_most(Value a, Value b) {
  return arith::CmpIOp::create(b_, location_, arith::CmpIPredicate::sle, a, b);
}

Value Builder::least(Value a, Value b) { return arith::MinSIOp::create(b_, location_, a, b); }

Value Builder::is_zero(Value a) {
  const Value zero = constant(0, int(a.getType().getIntOrFloatBitWidth()));
  return arith::CmpIOp::create(b_, location_, arith::CmpIPredicate::eq, a, zero);
}

Value Builder::select(Value condition, Value a, Value b) {
  return arith::SelectOp::create(b_, location_, condition, a, b);
}

Value Builder::widened(Value a) {
  return arith::ExtSIOp::create(b_, location_, b_.getI64Type(), a);
}

Value Builder::add_real(Value a, Value b) { return arith::AddFOp::create(b_, location_, a, b); }

Value Builder::half_to_real(Value bits) {
  const mlir::Type f32 = b_.getF32Type();
  if (dtype_ == DType::bf16) {
    return arith::BitcastOp::create(b_, location_, f32, shift_left(bits, 16));
  }
  const Value low = arith::TruncIOp::create(b_, location_, b_.getI16Type(), bits);
  const Value half = arith::BitcastOp::create(b_, location_, b_.getF16Type(), low);
  return arith::ExtFOp::create(b_, location_, f32, half);
}

Values Builder::loop(Value from, Value to, const Values& carried, const Body& body) {
  auto loop = scf::ForOp::create(b_, location_, from, to, constant(1), range(carried));
  {
    mlir::OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToStart(loop.getBody());
    const auto arguments = loop.getRegionIterArgs();
    const Values next = body(loop.getInductionVar(), Values(arguments.begin(), arguments.end()));
    // A loop that carries nothing has its end already.
    if (!next.empty()) scf::YieldOp::create(b_, location_, range(next));
  }
  const auto results = loop.getResults();
  return Values(results.begin(), results.end());
}

void Builder::when(Value condition, const std::function<void()>& then) {
  auto branch = scf::IfOp::create(b_, location_, condition, false);
  mlir::OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPointToStart(branch.thenBlock());
  then();
}

Values Builder::choose(Value condition, int count, const std::function<Values()>& then,
                       const std::function<Values()>& otherwise) {
  const std::vector<mlir::Type> types(size_t(count), b_.getF32Type());
  auto branch = scf::IfOp::create(b_, location_, mlir::TypeRange(types), condition, true);
  const auto fill = [&](mlir::Block* block, const std::function<Values()>& make) {
    mlir::OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToEnd(block);
    scf::YieldOp::create(b_, location_, range(make()));
  };
  fill(branch.thenBlock(), then);
  fill(branch.elseBlock(), otherwise);
  const auto results = branch.getResults();
  return Values(results.begin(), results.end());
}

}  // namespace gatefold
