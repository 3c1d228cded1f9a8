#include "bench/peer_entries.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "spec/error.h"

namespace gatefold {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// The field's value, or `otherwise` if it is absent; of another type it is an Error.
template <typename T>
T field(const json& object, const char* name, T otherwise, const char* wanted) {
  if (!object.contains(name)) return otherwise;
  try {
    return object.at(name).get<T>();
  } catch (const json::exception&) {
    fail(std::string("field '") + name + "': " + object.at(name).dump() + ", wanted " + wanted);
  }
}

PeerEntry entry_of(const json& object) {
  if (!object.is_object()) fail("not a JSON object");
  PeerEntry entry;
  entry.note = field(object, "note", std::string(), "a text");
  entry.unavailable = field(object, "unavailable", std::string(), "a text");
  entry.command = field(object, "command", entry.command, "a list of texts");
  entry.environment = field(object, "environment", entry.environment, "an object of texts");
  entry.seconds = field(object, "seconds", entry.seconds, "a number");
  if (!(entry.seconds > 0)) fail("field 'seconds': wanted more than 0");
  if (entry.command.empty() && entry.unavailable.empty()) {
    fail("field 'command': missing, or say why in 'unavailable'");
  }
  return entry;
}

PeerEntry read_entry(const fs::path& file) {
  try {
    std::ifstream stream(file);
    PeerEntry entry = entry_of(json::parse(stream, nullptr, false));
    entry.name = file.stem().string();
    return entry;
  } catch (const Error& error) {
    fail(file.string() + ": " + error.what());
  }
}

}  // namespace

std::vector<PeerEntry> read_peers(const fs::path& folder) {
  std::vector<PeerEntry> entries;
  std::error_code ignored;
  for (const auto& file : fs::directory_iterator(folder, ignored)) {
    if (file.path().extension() == ".json") entries.push_back(read_entry(file.path()));
  }
  std::sort(entries.begin(), entries.end(),
            [](const PeerEntry& a, const PeerEntry& b) { return a.name < b.name; });
  return entries;
}

}  // namespace gatefold
