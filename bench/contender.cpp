#include "bench/contender.h"

#include <algorithm>

#include "spec/error.h"
#include "spec/names.h"

namespace gatefold {

const std::vector<ContenderInfo>& all_contenders() {
  static const std::vector<ContenderInfo> contenders = {
      {"unfused", "our own kernels with gate, up, activation and down one by one", make_unfused},
  };
  return contenders;
}

std::vector<ContenderInfo> contenders_named(const std::string& list) {
  if (list == "all") return all_contenders();
  if (list == "none") return {};
  std::vector<ContenderInfo> chosen;
  for (const std::string& word : split_list(list)) {
    const bool twice = std::any_of(chosen.begin(), chosen.end(),
                                   [&](const ContenderInfo& c) { return c.name == word; });
    if (twice) fail_usage("--vs: '" + word + "' stands twice in '" + list + "'");
    chosen.push_back(find_named(all_contenders(), word, "contender in --vs"));
  }
  return chosen;
}

}  // namespace gatefold
