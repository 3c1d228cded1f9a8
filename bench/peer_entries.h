#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace gatefold {

/// How a competitor's program is started: FOLDER/NAME.json, written by bench/run_peers.sh.
struct PeerEntry {
  std::string name, note;
  std::vector<std::string> command;
  std::map<std::string, std::string> environment;
  double seconds = 120;     ///< for each of its answers
  std::string unavailable;  ///< why it could not be installed; then there is no command
};

/// All entries of a folder, by name; none if there is no such folder. A malformed one is an Error.
std::vector<PeerEntry> read_peers(const std::filesystem::path& folder);

}  // namespace gatefold
