#include "tests/neon/instructions/vector_functions.h"

#include <dlfcn.h>

#include <stdexcept>

namespace gatefold::test {

const std::vector<VectorFunction>& vector_functions() {
  static const std::vector<VectorFunction> all = {
      {"smmla", "llvm.aarch64.neon.smmla.v4i32.v16i8", false},
      {"ummla", "llvm.aarch64.neon.ummla.v4i32.v16i8", false},
      {"usmmla", "llvm.aarch64.neon.usmmla.v4i32.v16i8", false},
      {"usdot", "llvm.aarch64.neon.usdot.v4i32.v16i8", false},
      {"bfdot", "llvm.aarch64.neon.bfdot.v4f32.v8bf16", true},
      {"bfmmla", "llvm.aarch64.neon.bfmmla", true},
  };
  return all;
}

const VectorFunction& vector_function(const std::string& name) {
  for (const VectorFunction& f : vector_functions()) {
    if (f.name == name) return f;
  }
  throw std::out_of_range("no instruction '" + name + "'");
}

Halide::Expr multiplied(const std::string& instruction, const Halide::Expr& sum,
                        const Halide::Expr& x, const Halide::Expr& w) {
  return Halide::Internal::Call::make(sum.type(), "gatefold_" + instruction, {sum, x, w},
                                      Halide::Internal::Call::PureExtern);
}

}  // namespace gatefold::test

namespace Halide::Internal {

/// Stands before libHalide's own function of this name, which its code generator reaches through
/// the dynamic linker.
std::pair<llvm::Function*, int> CodeGen_LLVM::find_vector_runtime_function(const std::string& name,
                                                                           int lanes) {
  using Original = std::pair<llvm::Function*, int> (*)(CodeGen_LLVM*, const std::string&, int);
  static const auto original = reinterpret_cast<Original>(
      dlsym(RTLD_NEXT,
            "_ZN6Halide8Internal12CodeGen_LLVM28find_vector_runtime_functionERKNSt7__cxx1112basic_"
            "stringIcSt11char_traitsIcESaIcEEEi"));
  std::pair<llvm::Function*, int> found = original(this, name, lanes);
  const std::string prefix = "gatefold_";
  if (found.first || name.rfind(prefix, 0) != 0) return found;
  const auto& function = gatefold::test::vector_function(name.substr(prefix.size()));
  add_bitcode_to_module(context, *module, gatefold::test::bitcode_of(function), name);
  return original(this, name, lanes);
}

}  // namespace Halide::Internal
