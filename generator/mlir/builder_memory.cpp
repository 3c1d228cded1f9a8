#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/LLVMIR/NVVMDialect.h>

#include "generator/mlir/builder.h"

namespace gatefold {
namespace {

namespace arith = mlir::arith;
namespace llvm_ops = mlir::LLVM;
namespace nvvm = mlir::NVVM;

constexpr unsigned kSharedSpace = 3;
constexpr const char* kSharedName = "gatefold_shared";

mlir::ValueRange range(const Values& values) { return mlir::ValueRange(values); }

Values load_vector(mlir::OpBuilder& b, mlir::Location location, Value pointer, mlir::Type element,
                   int count) {
  const auto type = mlir::VectorType::get({count}, element);
  const Value vector = llvm_ops::LoadOp::create(b, location, type, pointer, unsigned(4 * count));
  Values values;
  for (int i = 0; i < count; ++i) {
    const Value place = arith::ConstantIntOp::create(b, location, i, 32);
    values.push_back(llvm_ops::ExtractElementOp::create(b, location, vector, place));
  }
  return values;
}

Values members(mlir::OpBuilder& b, mlir::Location location, Value structure, int count) {
  Values values;
  for (int64_t i = 0; i < count; ++i) {
    values.push_back(llvm_ops::ExtractValueOp::create(b, location, structure, i));
  }
  return values;
}

}  // namespace

Value Builder::thread() { return nvvm::ThreadIdXOp::create(b_, location_, b_.getI32Type()); }

Value Builder::block(int dimension) {
  const mlir::Type i32 = b_.getI32Type();
  if (dimension == 0) return nvvm::BlockIdXOp::create(b_, location_, i32);
  if (dimension == 1) return nvvm::BlockIdYOp::create(b_, location_, i32);
  return nvvm::BlockIdZOp::create(b_, location_, i32);
}

Value Builder::halves(Value low, Value high) {
  const mlir::Type half = dtype_ == DType::bf16 ? mlir::Type(b_.getBF16Type()) : b_.getF16Type();
  const auto reals = mlir::VectorType::get({2}, b_.getF32Type());
  Value pair = llvm_ops::PoisonOp::create(b_, location_, reals);
  pair = llvm_ops::InsertElementOp::create(b_, location_, pair, low, constant(0));
  pair = llvm_ops::InsertElementOp::create(b_, location_, pair, high, constant(1));
  const Value rounded =
      arith::TruncFOp::create(b_, location_, mlir::VectorType::get({2}, half), pair);
  return llvm_ops::BitcastOp::create(b_, location_, b_.getI32Type(), rounded);
}

Value Builder::shared_memory() {
  const auto pointer = llvm_ops::LLVMPointerType::get(b_.getContext(), kSharedSpace);
  mlir::Operation* module = module_body_->getParentOp();
  if (!mlir::SymbolTable::lookupSymbolIn(module, kSharedName)) {
    mlir::OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToStart(module_body_);
    llvm_ops::GlobalOp::create(b_, location_, llvm_ops::LLVMArrayType::get(b_.getI8Type(), 0),
                               false, llvm_ops::Linkage::External, kSharedName, mlir::Attribute(),
                               128, kSharedSpace);
  }
  return llvm_ops::AddressOfOp::create(b_, location_, pointer, kSharedName);
}

Value Builder::at(Value pointer, Value bytes) {
  return llvm_ops::GEPOp::create(b_, location_, pointer.getType(), b_.getI8Type(), pointer,
                                 mlir::ValueRange{bytes});
}

Value Builder::at(Value pointer, int64_t bytes) {
  return bytes == 0 ? pointer : at(pointer, constant(bytes, 64));
}

Value Builder::address(Value pointer) {
  return llvm_ops::PtrToIntOp::create(b_, location_, b_.getI64Type(), pointer);
}

Values Builder::load_words(Value pointer, int count) {
  return load_vector(b_, location_, pointer, b_.getI32Type(), count);
}

Values Builder::load_reals(Value pointer, int count) {
  return load_vector(b_, location_, pointer, b_.getF32Type(), count);
}

void Builder::store(Value pointer, const Values& values) {
  const auto type = mlir::VectorType::get({int64_t(values.size())}, values.front().getType());
  Value vector = llvm_ops::PoisonOp::create(b_, location_, type);
  for (size_t i = 0; i < values.size(); ++i) {
    vector =
        llvm_ops::InsertElementOp::create(b_, location_, vector, values[i], constant(int64_t(i)));
  }
  llvm_ops::StoreOp::create(b_, location_, vector, pointer, unsigned(4 * values.size()));
}

Value Builder::load_half(Value pointer) {
  const Value bits = llvm_ops::LoadOp::create(b_, location_, b_.getI16Type(), pointer, 2u);
  return arith::ExtUIOp::create(b_, location_, b_.getI32Type(), bits);
}

void Builder::store_half(Value pointer, Value bits) {
  const Value low = arith::TruncIOp::create(b_, location_, b_.getI16Type(), bits);
  llvm_ops::StoreOp::create(b_, location_, low, pointer, 2u);
}

void Builder::barrier() { nvvm::BarrierOp::create(b_, location_); }

void Builder::copy_async(Value shared, Value global, Value bytes) {
  nvvm::CpAsyncOp::create(b_, location_, shared, global, 16u, nvvm::LoadCacheModifierKind::CG,
                          bytes);
}

void Builder::commit_copies() { nvvm::CpAsyncCommitGroupOp::create(b_, location_); }

void Builder::wait_for_copies(int but_the_last) {
  nvvm::CpAsyncWaitGroupOp::create(b_, location_, uint32_t(but_the_last));
}

Values Builder::load_matrices(Value shared) {
  const mlir::Type i32 = b_.getI32Type();
  const auto four = llvm_ops::LLVMStructType::getLiteral(b_.getContext(), {i32, i32, i32, i32});
  const auto shape = nvvm::LdStMatrixShapeAttr::get(b_.getContext(), 8, 8);
  const Value matrices = nvvm::LdMatrixOp::create(
      b_, location_, four, shared, 4u, nvvm::MMALayout::row, shape, nvvm::LdStMatrixEltType::B16);
  return members(b_, location_, matrices, 4);
}

/// The instruction takes bf16 as i32 and f16 as pairs.
Value Builder::half_operand(Value word) {
  if (dtype_ == DType::bf16) return word;
  const auto pair = mlir::VectorType::get({2}, b_.getF16Type());
  return llvm_ops::BitcastOp::create(b_, location_, pair, word);
}

Values Builder::multiply_matrices(const Values& a, const Values& b, const Values& sums) {
  const mlir::Type f32 = b_.getF32Type();
  const auto four = llvm_ops::LLVMStructType::getLiteral(b_.getContext(), {f32, f32, f32, f32});
  const auto type = dtype_ == DType::bf16 ? nvvm::MMATypes::bf16 : nvvm::MMATypes::f16;
  Values as, bs;
  for (const Value& word : a) as.push_back(half_operand(word));
  for (const Value& word : b) bs.push_back(half_operand(word));
  const Value product = nvvm::MmaOp::create(
      b_, location_, four, range(as), range(bs), range(sums), llvm::ArrayRef<int64_t>{16, 8, 16},
      std::nullopt, std::nullopt, std::array<nvvm::MMATypes, 2>{type, type},
      std::array<nvvm::MMALayout, 2>{nvvm::MMALayout::row, nvvm::MMALayout::col});
  return members(b_, location_, product, 4);
}

}  // namespace gatefold
