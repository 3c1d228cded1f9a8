#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gatefold::test {

/// A generated library of this build: its manifest.
std::string library_manifest(const std::string& name);

/// Values from a fixed sequence, about 0.1.
std::vector<float> values(size_t count, uint32_t seed);

struct NamedTensor {
  std::vector<int64_t> shape;
  std::vector<float> data;
};

/// f32 tensors as a safetensors file.
void write_weights(const std::string& path, const std::map<std::string, NamedTensor>& tensors);

/// A SwiGLU block 64 x 160 and an input of some rows, as files in a folder.
struct SwigluFiles {
  SwigluFiles(const std::string& folder, int64_t rows);

  static constexpr int64_t kModel = 64, kFf = 160;
  std::string weights, input, output;
  std::vector<float> gate, up, down, x;

  /// `run` on them with the separate tensors; `flags` come after.
  std::vector<std::string> run_command(const std::vector<std::string>& flags = {}) const;
  /// The same without any tensor flag.
  std::vector<std::string> bare_command(const std::vector<std::string>& flags) const;
  /// y in f64.
  std::vector<double> expected() const;
};

}  // namespace gatefold::test
