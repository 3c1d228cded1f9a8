#pragma once

#include <Halide.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gatefold::test {

using Bytes = std::vector<uint8_t>;

/// A pipeline of two inputs and one output, of fixed sizes all, as code for arm64.
struct ArmProduct {
  Halide::Func y;
  Halide::ImageParam x, w;
  std::string target;  ///< without the architecture: "arm_dot_prod"

  /// Its assembly text.
  std::string assembly() const;

  /// The same, and the first `y_bytes` of what it computes: linked with call_product.c and run on
  /// an emulated CPU ("max,sve256=on").
  struct Run {
    std::string assembly;
    Bytes y;
  };
  Run run(const std::string& cpu, const Bytes& x_bytes, const Bytes& w_bytes, size_t y_bytes) const;

 private:
  void emit(const std::map<Halide::OutputFileType, std::string>& files) const;
};

/// Makes a dimension's bounds and stride known to the compiler.
template <typename Parameter>
void fix(Parameter p, int dimension, int extent, int stride) {
  p.dim(dimension).set_bounds(0, extent).set_stride(stride);
}

/// How often a mnemonic stands in an assembly text.
int instructions(const std::string& assembly, const std::string& mnemonic);

}  // namespace gatefold::test
