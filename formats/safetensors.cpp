#include "formats/safetensors.h"

#include "formats/little_endian.h"
#include "formats/quote.h"
#include "formats/safetensors_header.h"
#include "formats/safetensors_layout.h"
#include "spec/error.h"
#include "spec/names.h"

namespace gatefold {
namespace {

constexpr size_t kLengthBytes = sizeof(uint64_t);
constexpr uint64_t kMaxHeaderBytes = 100'000'000;  // the limit of the format's reference reader

// An error message searches no more than this of a hostile file.
constexpr size_t kSearchedNames = 4096;
constexpr size_t kSearchedLength = 256;
constexpr size_t kProposals = 3;

/// The JSON text between the file's first eight bytes and its data.
std::string_view header_of(const std::string& file, std::span<const std::byte> bytes) {
  if (bytes.size() < kLengthBytes) {
    fail(file + ": " + std::to_string(bytes.size()) +
         " bytes are too few for a safetensors file, wanted at least 8");
  }
  const auto length = load_little_endian<uint64_t>(bytes, 0);
  const uint64_t rest = bytes.size() - kLengthBytes;
  if (length > rest) {
    fail(file + ": header length " + std::to_string(length) + " is past the end of the file (" +
         std::to_string(rest) + " bytes follow)");
  }
  if (length > kMaxHeaderBytes) {
    fail(file + ": header length " + std::to_string(length) + ", wanted at most " +
         std::to_string(kMaxHeaderBytes));
  }
  return {reinterpret_cast<const char*>(bytes.data()) + kLengthBytes, static_cast<size_t>(length)};
}

}  // namespace

Safetensors Safetensors::open(const std::filesystem::path& path) {
  Safetensors result(path.string(), MappedFile::open(path));
  const std::span<const std::byte> bytes = result.mapping_.bytes();
  const std::string_view header = header_of(result.file_, bytes);
  const auto data = bytes.subspan(kLengthBytes + header.size());
  std::vector<SafetensorsEntry> entries = parse_safetensors_header(result.file_, header);
  check_safetensors_layout(result.file_, entries, data.size());
  for (SafetensorsEntry& entry : entries) {
    Entry& slot = result.entries_[entry.name];
    slot.dtype = entry.dtype;
    const auto weight = find_safetensors_dtype(entry.dtype)->weight;
    if (!weight) continue;
    const uint64_t begin = entry.data_offsets[0];
    const auto part = data.subspan(begin, entry.data_offsets[1] - begin);
    slot.tensor = Tensor{entry.name, *weight, std::move(entry.shape), part};
  }
  return result;
}

const Tensor& Safetensors::tensor(std::string_view name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) fail_absent(name);
  const Entry& entry = found->second;
  if (!entry.tensor) {
    fail(file_ + ": tensor " + quote(name) + ": dtype " + entry.dtype +
         " cannot be used as weights, wanted F32, BF16 or F16");
  }
  return *entry.tensor;
}

std::vector<std::string> Safetensors::names() const {
  std::vector<std::string> result;
  for (const auto& [name, entry] : entries_) result.push_back(name);
  return result;
}

/// First the names that contain the wanted one or lie in it: what is forgotten is mostly a prefix
/// ("model.layers.0.") or a suffix (".weight"). Else the one with the fewest different letters.
std::vector<std::string> Safetensors::near_names(std::string_view name) const {
  std::vector<std::string> searched;
  std::vector<std::string> near;
  for (const auto& [candidate, entry] : entries_) {
    if (searched.size() == kSearchedNames || near.size() == kProposals) break;
    if (candidate.empty() || candidate.size() > kSearchedLength) continue;
    searched.push_back(candidate);
    const bool inside = candidate.find(name) != std::string::npos;
    if (inside || name.find(candidate) != std::string_view::npos) near.push_back(candidate);
  }
  if (!near.empty()) return near;
  const std::string nearest = nearest_name(searched, name.substr(0, kSearchedLength));
  return nearest.empty() ? near : std::vector{nearest};
}

void Safetensors::fail_absent(std::string_view name) const {
  std::string message = file_ + ": has no tensor " + quote(name);
  const std::vector<std::string> near = near_names(name);
  for (size_t i = 0; i < near.size(); ++i) {
    message += (i == 0 ? ", did you mean " : " or ") + quote(near[i]);
  }
  fail(message + (near.empty() ? "" : "?") + " (it has " + std::to_string(entries_.size()) +
       " tensors)");
}

}  // namespace gatefold
