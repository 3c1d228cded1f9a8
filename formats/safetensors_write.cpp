#include <nlohmann/json.hpp>

#include "formats/atomic_file.h"
#include "formats/extent.h"
#include "formats/quote.h"
#include "formats/safetensors.h"
#include "spec/error.h"

namespace gatefold {
namespace {

void check_writable(const std::string& where, const Tensor& tensor) {
  if (tensor.name == "__metadata__") fail(where + "the name is reserved by the format");
  const std::optional<int64_t> count = element_count(tensor.shape);
  const size_t item = item_bytes(tensor.type);
  if (!count || tensor.data.size() % item != 0 ||
      tensor.data.size() / item != static_cast<uint64_t>(*count)) {
    fail(where + std::to_string(tensor.data.size()) + " bytes do not fit shape " +
         shape_text(tensor.shape) + " of " + std::string(safetensors_dtype_name(tensor.type)));
  }
}

std::string header_text(const std::string& file, std::span<const Tensor> tensors) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  uint64_t begin = 0;
  for (const Tensor& tensor : tensors) {
    const std::string where = file + ": tensor " + quote(tensor.name) + ": ";
    check_writable(where, tensor);
    if (header.contains(tensor.name)) fail(where + "duplicate name");
    const uint64_t end = begin + tensor.data.size();
    header[tensor.name] = {{"dtype", safetensors_dtype_name(tensor.type)},
                           {"shape", tensor.shape},
                           {"data_offsets", {begin, end}}};
    begin = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');  // so that the data begins on eight bytes
  return text;
}

}  // namespace

void write_safetensors(const std::filesystem::path& path, std::span<const Tensor> tensors) {
  std::string header;
  try {
    header = header_text(path.string(), tensors);
  } catch (const nlohmann::json::exception& error) {
    fail(path.string() + ": a tensor's name is not UTF-8: " + error.what());
  }
  const uint64_t length = header.size();
  AtomicFile file(path);
  file.write(std::as_bytes(std::span(&length, 1)));
  file.write(std::as_bytes(std::span(header)));
  for (const Tensor& tensor : tensors) file.write(tensor.data);
  file.commit();
}

}  // namespace gatefold
