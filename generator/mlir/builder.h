#pragma once

#include <mlir/IR/Builders.h>

#include <functional>
#include <string>
#include <vector>

#include "generator/mlir/kernel_parameters.h"
#include "spec/dtype.h"

namespace gatefold {

using Value = mlir::Value;
using Values = std::vector<Value>;

/// What the kernels are written in: integers, memory, loops and tensor-core instructions as calls
/// that append operations of MLIR. MLIR's dialects are included by the sources of this class and of
/// nothing else of the kernels, since each file that includes them takes a minute to compile.
/// Integers are i32 where nothing else is said, byte offsets may be i64.
class Builder {
 public:
  /// Appends to the module whose body `module_body` is; `half` is the 16-bit type of the kernels.
  Builder(mlir::Block* module_body, DType half);

  /// Begins a kernel of one-dimensional blocks; what follows is its body until end_kernel().
  void begin_kernel(const std::string& name, const std::vector<KernelParameter>& parameters,
                    int threads);
  void end_kernel();
  /// A parameter of the kernel by its name; an Error if it has none of that name.
  Value parameter(const std::string& name) const;

  Value thread();  ///< number of the thread in its block
  Value block(int dimension);

  Value constant(int64_t value, int bits = 32);
  Value number(float value);  ///< f32
  Value add(Value a, Value b);
  Value add(Value a, int64_t b);
  Value subtract(Value a, Value b);
  Value multiply(Value a, Value b);
  Value multiply(Value a, int64_t b);
  Value divide(Value a, Value b);  ///< unsigned
  Value divide(Value a, int64_t b);
  Value remainder(Value a, int64_t b);  ///< unsigned
  Value bit_and(Value a, Value b);
  Value bit_or(Value a, Value b);
  Value bit_xor(Value a, Value b);
  Value shift_right(Value a, int64_t by);  ///< unsigned
  Value shift_left(Value a, int64_t by);
  Value less(Value a, Value b);  ///< signed, as are the next two
  Value at_most(Value a, Value b);
  Value least(Value a, Value b);
  Value is_zero(Value a);
  Value select(Value condition, Value a, Value b);
  Value widened(Value a);            ///< i64, with its sign
  Value add_real(Value a, Value b);  ///< strict

  /// The f32 of the low 16 bits of an i32, and two f32 rounded once to the 16-bit type, the first
  /// in the low half.
  Value half_to_real(Value bits);
  Value halves(Value low, Value high);

  /// Shared memory that the launch gives, aligned to 128 bytes; declared once in a module.
  Value shared_memory();
  Value at(Value pointer, Value bytes);
  Value at(Value pointer, int64_t bytes);
  Value address(Value pointer);  ///< as i64
  /// `count` words of 32 bits that stand together, aligned to their size altogether.
  Values load_words(Value pointer, int count);
  Values load_reals(Value pointer, int count);
  void store(Value pointer, const Values& words_or_reals);
  Value load_half(Value pointer);  ///< 16 bits in an i32
  void store_half(Value pointer, Value bits);

  using Body = std::function<Values(Value i, const Values& carried)>;
  /// for i = from; i < to; ++i: `carried` goes from each turn to the next and to the result.
  Values loop(Value from, Value to, const Values& carried, const Body& body);
  void when(Value condition, const std::function<void()>& then);
  /// Both give `count` f32.
  Values choose(Value condition, int count, const std::function<Values()>& then,
                const std::function<Values()>& otherwise);

  void barrier();
  /// 16 bytes from global to shared memory; of fewer `bytes` (an i32) the rest is zero.
  void copy_async(Value shared, Value global, Value bytes = {});
  void commit_copies();
  void wait_for_copies(int but_the_last);
  /// Four 8x8 matrices of 16 bits, a row from each lane's address.
  Values load_matrices(Value shared);
  /// 16x8 sums plus a 16x16 by 16x8 product: a in four, b in two, sums in four registers.
  Values multiply_matrices(const Values& a, const Values& b, const Values& sums);

  mlir::OpBuilder& operations() { return b_; }
  mlir::Location location() const { return location_; }

 private:
  Value half_operand(Value word);

  mlir::OpBuilder b_;
  mlir::Location location_;
  DType dtype_;
  mlir::Block* module_body_;
  std::vector<std::pair<std::string, Value>> parameters_;
};

}  // namespace gatefold
