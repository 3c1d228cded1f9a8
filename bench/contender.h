#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/loaded_library.h"
#include "tuning/ffn_data.h"

namespace gatefold {

/// What the contenders of one comparison share.
struct Contest {
  const LoadedLibrary& library;  ///< the one that is judged
  FfnSpec ffn;                   ///< what it computes, with fixed sizes
  std::string isa;               ///< the target in use
  std::vector<int64_t> rows;
  int threads = 1;
  std::filesystem::path emitter;
  std::function<void(const std::string&)> progress;
};

/// An implementation of the block, ready to be timed.
class Contender {
 public:
  virtual ~Contender() = default;

  /// Keeps one more copy of the weights, in its own layout.
  virtual void add_copy(const FfnData& data) = 0;
  /// What the runs from now on add to their result, called only for blocks with a residual; the
  /// data outlives them. False where the implementation cannot.
  virtual bool set_residual(const gf_rows& /*residual*/) { return false; }
  virtual int64_t weight_bytes() const = 0;  ///< of one copy
  virtual void run(size_t copy, const gf_rows& x, const gf_rows& y) = 0;
  /// What it used in the last run, in one line.
  virtual std::string description() const = 0;
};

/// An entry of the list of contenders.
struct ContenderInfo {
  std::string name;
  std::string note;
  std::unique_ptr<Contender> (*make)(const Contest&);
};

std::unique_ptr<Contender> make_gatefold(const Contest& contest);
std::unique_ptr<Contender> make_unfused(const Contest& contest);

/// Those that `--vs` names; `gatefold` itself always takes part and is not among them.
const std::vector<ContenderInfo>& all_contenders();

/// "unfused", "all" or "none", or a list; unknown and repeated names are usage errors.
std::vector<ContenderInfo> contenders_named(const std::string& list);

}  // namespace gatefold
