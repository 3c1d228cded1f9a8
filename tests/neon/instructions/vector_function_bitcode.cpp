// The smallest module that LLVM 21 reads, by the records of llvm/Bitcode/LLVMBitCodes.h.
#include "tests/neon/instructions/bitstream.h"
#include "tests/neon/instructions/vector_functions.h"

namespace gatefold::test {
namespace {

/// What Halide says of arm-64-linux: two modules that differ in it are linked with a warning.
constexpr const char* kDataLayout =
    "e-m:e-p270:32:32-p271:32:32-p272:64:64-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32";
constexpr const char* kTriple = "aarch64--linux-gnueabihf";

enum Block { module_block = 8, function_block = 12, type_block = 17, names_block = 23 };

/// Numbers of types, in the order in which types() gives them. Sums are what an accumulator holds,
/// operands what the intrinsic multiplies.
enum Type { element, sum_element, word, words, sums, operands, wrapper, intrinsic };

void types(Bitstream& out, bool bf16) {
  constexpr unsigned kCount = 1, kFloat = 3, kInteger = 7, kVector = 12, kFunction = 21, kBf16 = 23;
  out.begin_block(type_block);
  out.record(kCount, {8});
  bf16 ? out.record(kBf16, {}) : out.record(kInteger, {8});
  bf16 ? out.record(kFloat, {}) : out.record(kInteger, {32});
  out.record(kInteger, {32});
  out.record(kVector, {4, word});
  out.record(kVector, {4, sum_element});
  out.record(kVector, {bf16 ? 8u : 16u, element});
  out.record(kFunction, {0, sums, sums, words, words});
  out.record(kFunction, {0, sums, sums, operands, operands});
  out.end_block();
}

/// Names stand in a table of their own, at the end.
void declare(Bitstream& out, std::string& names, const std::string& name, Type type, bool defined) {
  constexpr unsigned kFunction = 8;
  constexpr uint64_t kExternal = 0, kWeakOdr = 17;
  // offset and size of the name, type, calling convention, is a declaration, linkage, attributes,
  // alignment, section, visibility
  const uint64_t linkage = defined ? kWeakOdr : kExternal;
  out.record(kFunction, {names.size(), name.size(), type, 0, !defined, linkage, 0, 0, 0, 0});
  names += name;
}

/// return intrinsic(sum, bitcast x, bitcast w). Operands are named by how many values back they
/// are; the wrapper and the intrinsic are values 0 and 1, the arguments 2 to 4.
void body(Bitstream& out) {
  constexpr unsigned kBlocks = 1, kCast = 3, kReturn = 10, kCall = 34;
  constexpr uint64_t kBitcast = 11, kTypeIsGiven = 1 << 15;
  out.begin_block(function_block);
  out.record(kBlocks, {1});
  out.record(kCast, {2, operands, kBitcast});                           // 5, of 3
  out.record(kCast, {2, operands, kBitcast});                           // 6, of 4
  out.record(kCall, {0, kTypeIsGiven, intrinsic, 7 - 1, 7 - 2, 2, 1});  // 7, of 2, 5 and 6
  out.record(kReturn, {1});
  out.end_block();
}

}  // namespace

std::vector<uint8_t> bitcode_of(const VectorFunction& function) {
  constexpr unsigned kVersion = 1, kTripleCode = 2, kLayoutCode = 3, kNames = 1;
  constexpr uint64_t kNamesApart = 2;
  Bitstream out;
  std::string names;
  out.begin_block(module_block);
  out.record(kVersion, {kNamesApart});
  types(out, function.bf16);
  out.record_text(kTripleCode, kTriple);
  out.record_text(kLayoutCode, kDataLayout);
  declare(out, names, "gatefold_" + function.name + "x4", wrapper, true);
  declare(out, names, function.intrinsic, intrinsic, false);
  body(out);
  out.end_block();
  out.begin_block(names_block);
  out.blob(kNames, names);
  out.end_block();
  return out.bytes();
}

}  // namespace gatefold::test
