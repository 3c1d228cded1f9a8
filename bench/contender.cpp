#include "bench/contender.h"

#include <algorithm>

#include "bench/contenders/peer_process.h"
#include "spec/error.h"
#include "spec/names.h"

namespace gatefold {
namespace {

/// A competitor is there once it was installed; who names one must learn how.
const ContenderInfo& named(const std::vector<ContenderInfo>& all, const std::string& name,
                           const std::filesystem::path& peers) {
  try {
    return find_named(all, name, "contender in --vs");
  } catch (const Error& error) {
    fail_usage(std::string(error.what()) + "; competitors are those in " + peers.string() +
               ", where bench/run_peers.sh installs them");
  }
}

}  // namespace

std::vector<ContenderInfo> all_contenders(const std::filesystem::path& peers) {
  std::vector<ContenderInfo> contenders = {
      {"unfused", "our own kernels with gate, up, activation and down one by one", make_unfused},
  };
  for (const PeerEntry& entry : read_peers(peers)) contenders.push_back(peer_contender(entry));
  return contenders;
}

std::vector<ContenderInfo> contenders_named(const std::string& list,
                                            const std::filesystem::path& peers) {
  if (list == "none") return {};
  if (list == "unfused") return all_contenders({});
  const std::vector<ContenderInfo> all = all_contenders(peers);
  if (list == "all") return all;
  std::vector<ContenderInfo> chosen;
  for (const std::string& word : split_list(list)) {
    const bool twice = std::any_of(chosen.begin(), chosen.end(),
                                   [&](const ContenderInfo& c) { return c.name == word; });
    if (twice) fail_usage("--vs: '" + word + "' stands twice in '" + list + "'");
    chosen.push_back(named(all, word, peers));
  }
  return chosen;
}

}  // namespace gatefold
