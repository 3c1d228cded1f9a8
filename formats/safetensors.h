#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/mapped_file.h"
#include "formats/tensor_type.h"

namespace gatefold {

/// Row-major, little-endian. The data of a file may lie at any address: copy elements out with
/// memcpy or load_little_endian, never through a float pointer.
struct Tensor {
  std::string name;
  TensorType type = TensorType::f32;
  std::vector<int64_t> shape;
  std::span<const std::byte> data;
};

/// A safetensors file whose every length and offset has been checked against the file's size. The
/// data stays valid as long as the object lives, also when it is moved.
class Safetensors {
 public:
  static Safetensors open(const std::filesystem::path& path);

  /// Throws if the file has no such tensor (and proposes near names), or if its dtype cannot be a
  /// weight's.
  const Tensor& tensor(std::string_view name) const;

  /// Of all tensors in the file, in alphabetical order.
  std::vector<std::string> names() const;

 private:
  struct Entry {
    std::string dtype;
    std::optional<Tensor> tensor;  ///< none where the dtype cannot be a weight's
  };

  Safetensors(std::string file, MappedFile mapping)
      : file_(std::move(file)), mapping_(std::move(mapping)) {}
  std::vector<std::string> near_names(std::string_view name) const;
  [[noreturn]] void fail_absent(std::string_view name) const;

  std::string file_;
  MappedFile mapping_;
  std::map<std::string, Entry, std::less<>> entries_;
};

/// Writes the tensors one after another in the given order; the file appears whole or not at all.
void write_safetensors(const std::filesystem::path& path, std::span<const Tensor> tensors);

}  // namespace gatefold
