#include "tests/cli/block_files.h"

#include "formats/npy.h"
#include "formats/safetensors.h"
#include "runtime/reference/reference.h"
#include "tests/support/paths.h"

namespace gatefold::test {
namespace {

std::vector<std::string> joined(std::vector<std::string> words,
                                const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::vector<float> transposed(const std::vector<float>& matrix, int64_t rows, int64_t cols) {
  std::vector<float> out(matrix.size());
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t col = 0; col < cols; ++col) out[col * rows + row] = matrix[row * cols + col];
  }
  return out;
}

}  // namespace

std::string library_manifest(const std::string& name) {
  return binary_dir() + "/tests/cli/" + name + "/" + name + ".json";
}

std::vector<float> values(size_t count, uint32_t seed) {
  std::vector<float> out(count);
  uint32_t state = seed * 2654435761u + 1;
  for (float& value : out) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(static_cast<int32_t>(state)) * 0x1p-31f * 0.25f;
  }
  return out;
}

void write_weights(const std::string& path, const std::map<std::string, NamedTensor>& tensors) {
  std::vector<Tensor> list;
  for (const auto& [name, tensor] : tensors) {
    list.push_back({.name = name,
                    .type = TensorType::f32,
                    .shape = tensor.shape,
                    .data = std::as_bytes(std::span(tensor.data))});
  }
  write_safetensors(path, list);
}

SwigluFiles::SwigluFiles(const std::string& folder, int64_t rows)
    : weights(folder + "/w.safetensors"), input(folder + "/x.npy"), output(folder + "/y.npy") {
  gate = values(kFf * kModel, 1);
  up = values(kFf * kModel, 2);
  down = values(kModel * kFf, 3);
  x = values(static_cast<size_t>(rows * kModel), 4);
  std::vector<float> gate_first = gate, up_first = up, interleaved;
  gate_first.insert(gate_first.end(), up.begin(), up.end());
  up_first.insert(up_first.end(), gate.begin(), gate.end());
  for (int64_t row = 0; row < kFf; ++row) {
    for (const auto* matrix : {&gate, &up}) {
      interleaved.insert(interleaved.end(), matrix->begin() + row * kModel,
                         matrix->begin() + (row + 1) * kModel);
    }
  }
  write_weights(weights, {{"gate", {{kFf, kModel}, gate}},
                          {"up", {{kFf, kModel}, up}},
                          {"down", {{kModel, kFf}, down}},
                          {"gate_in_out", {{kModel, kFf}, transposed(gate, kFf, kModel)}},
                          {"up_in_out", {{kModel, kFf}, transposed(up, kFf, kModel)}},
                          {"down_in_out", {{kFf, kModel}, transposed(down, kModel, kFf)}},
                          {"gate_first", {{2 * kFf, kModel}, gate_first}},
                          {"up_first", {{2 * kFf, kModel}, up_first}},
                          {"interleaved", {{2 * kFf, kModel}, interleaved}},
                          {"odd", {{3, kModel}, values(3 * kModel, 5)}},
                          {"vector", {{kFf}, values(kFf, 6)}}});
  write_npy_f32(input, rows, kModel, x);
}

std::vector<std::string> SwigluFiles::bare_command(const std::vector<std::string>& flags) const {
  return joined({"run", "--library", library_manifest("cli_swiglu"), "--weights", weights,
                 "--input", input, "--output", output},
                flags);
}

std::vector<std::string> SwigluFiles::run_command(const std::vector<std::string>& flags) const {
  return joined(bare_command({"--gate", "gate", "--up", "up", "--down", "down"}), flags);
}

std::vector<double> SwigluFiles::expected() const {
  const ReferenceBlock block{.variant = variant_named("swiglu"),
                             .d_model = kModel,
                             .d_ff = kFf,
                             .gate = gate.data(),
                             .up = up.data(),
                             .down = down.data()};
  return reference_ffn(block, x.data(), static_cast<int64_t>(x.size()) / kModel).y;
}

}  // namespace gatefold::test
