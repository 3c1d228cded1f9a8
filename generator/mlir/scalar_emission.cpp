#include "generator/mlir/scalar_emission.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>

#include <bit>

namespace gatefold {
namespace {

namespace arith = mlir::arith;

class Emission {
 public:
  Emission(Builder& builder, const Values& arguments)
      : b_(builder.operations()), location_(builder.location()), arguments_(arguments) {}

  Value run(const ScalarProgram& program) {
    for (const ScalarInstruction& i : program.instructions()) values_.push_back(value(i));
    return values_.at(size_t(program.result));
  }

 private:
  mlir::Type type(ScalarType t) {
    return t.real ? mlir::Type(b_.getF32Type()) : b_.getIntegerType(unsigned(t.bits));
  }

  Value operand(const ScalarInstruction& i, int n) {
    return values_.at(size_t(i.operands.at(size_t(n))));
  }

  template <typename Op>
  Value two(const ScalarInstruction& i) {
    return Op::create(b_, location_, operand(i, 0), operand(i, 1));
  }

  template <typename RealOp, typename IntegerOp>
  Value two(const ScalarInstruction& i) {
    return i.type.real ? two<RealOp>(i) : two<IntegerOp>(i);
  }

  template <typename Op>
  Value converted(const ScalarInstruction& i) {
    return Op::create(b_, location_, type(i.type), operand(i, 0));
  }

  Value intrinsic(const ScalarInstruction& i, const char* name) {
    const Value x = operand(i, 0);
    return mlir::LLVM::CallIntrinsicOp::create(b_, location_, type(i.type), b_.getStringAttr(name),
                                               mlir::ValueRange{x})
        .getResult(0);
  }

  Value compare(const ScalarInstruction& i, arith::CmpFPredicate real,
                arith::CmpIPredicate integer) {
    const Value a = operand(i, 0), b = operand(i, 1);
    if (a.getType().isF32()) return arith::CmpFOp::create(b_, location_, real, a, b);
    return arith::CmpIOp::create(b_, location_, integer, a, b);
  }

  Value constant(const ScalarInstruction& i) {
    if (!i.type.real) {
      const llvm::APInt bits(unsigned(i.type.bits), i.bits);
      return arith::ConstantIntOp::create(b_, location_, type(i.type), bits);
    }
    return arith::ConstantFloatOp::create(b_, location_, b_.getF32Type(),
                                          llvm::APFloat(std::bit_cast<float>(uint32_t(i.bits))));
  }

  Value value(const ScalarInstruction& i);
  Value comparison(const ScalarInstruction& i);

  mlir::OpBuilder& b_;
  mlir::Location location_;
  const Values& arguments_;
  Values values_;
};

Value Emission::comparison(const ScalarInstruction& i) {
  using Real = arith::CmpFPredicate;
  using Integer = arith::CmpIPredicate;
  switch (i.op) {
    case ScalarOp::equal:
      return compare(i, Real::OEQ, Integer::eq);
    case ScalarOp::not_equal:
      return compare(i, Real::UNE, Integer::ne);
    case ScalarOp::less:
      return compare(i, Real::OLT, Integer::slt);
    case ScalarOp::less_equal:
      return compare(i, Real::OLE, Integer::sle);
    case ScalarOp::less_unsigned:
      return compare(i, Real::OLT, Integer::ult);
    default:
      return compare(i, Real::OLE, Integer::ule);
  }
}

Value Emission::value(const ScalarInstruction& i) {
  switch (i.op) {
    case ScalarOp::argument:
      return arguments_.at(size_t(i.bits));
    case ScalarOp::constant:
      return constant(i);
    case ScalarOp::add:
      return two<arith::AddFOp, arith::AddIOp>(i);
    case ScalarOp::subtract:
      return two<arith::SubFOp, arith::SubIOp>(i);
    case ScalarOp::multiply:
      return two<arith::MulFOp, arith::MulIOp>(i);
    case ScalarOp::divide:
      return two<arith::DivFOp>(i);
    case ScalarOp::bit_and:
      return two<arith::AndIOp>(i);
    case ScalarOp::bit_or:
      return two<arith::OrIOp>(i);
    case ScalarOp::bit_xor:
      return two<arith::XOrIOp>(i);
    case ScalarOp::shift_left:
      return two<arith::ShLIOp>(i);
    case ScalarOp::shift_right:
      return two<arith::ShRUIOp>(i);
    case ScalarOp::shift_right_signed:
      return two<arith::ShRSIOp>(i);
    case ScalarOp::equal:
    case ScalarOp::not_equal:
    case ScalarOp::less:
    case ScalarOp::less_equal:
    case ScalarOp::less_unsigned:
    case ScalarOp::less_equal_unsigned:
      return comparison(i);
    case ScalarOp::select:
      return arith::SelectOp::create(b_, location_, operand(i, 0), operand(i, 1), operand(i, 2));
    case ScalarOp::reinterpret:
      return converted<arith::BitcastOp>(i);
    // LLVM's own conversion leaves what does not fit undefined; the instruction saturates.
    case ScalarOp::to_signed:
      return intrinsic(i, "llvm.nvvm.f2i.rz");
    case ScalarOp::from_signed:
      return converted<arith::SIToFPOp>(i);
    case ScalarOp::from_unsigned:
      return converted<arith::UIToFPOp>(i);
    case ScalarOp::truncate:
      return converted<arith::TruncIOp>(i);
    case ScalarOp::sign_extend:
      return converted<arith::ExtSIOp>(i);
    case ScalarOp::zero_extend:
      return converted<arith::ExtUIOp>(i);
    case ScalarOp::absolute:
      return intrinsic(i, "llvm.fabs.f32");
    case ScalarOp::floor:
      return intrinsic(i, "llvm.floor.f32");
    case ScalarOp::ceil:
      return intrinsic(i, "llvm.ceil.f32");
    case ScalarOp::square_root:
      return intrinsic(i, "llvm.nvvm.sqrt.rn.f");
  }
  return {};
}

}  // namespace

Value emit(Builder& builder, const ScalarProgram& program, const Values& arguments) {
  return Emission(builder, arguments).run(program);
}

}  // namespace gatefold
