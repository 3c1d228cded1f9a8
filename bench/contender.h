#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "accuracy/ffn_data.h"
#include "accuracy/loaded_library.h"
#include "bench/peer_weights.h"
#include "bench/timed_call.h"
#include "spec/error.h"

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
  const std::atomic<bool>* stop = nullptr;  ///< what waits for a peer gives up once it is true
  std::shared_ptr<PeerWeights> peer_weights = std::make_shared<PeerWeights>();
};

/// Why a competitor takes no (further) part: it cannot do this block, or it ended. The others go
/// on without it.
class NotRun : public Error {
 public:
  explicit NotRun(const std::string& reason) : Error(ErrorKind::failed, reason) {}
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
  /// Two calls, one right after the other: with copy `before`, untimed, so that sleeping threads
  /// are not charged to anybody; then with `copy`. The time is that call's alone, and so is y.
  virtual CallTime run(size_t before, size_t copy, const gf_rows& x, const gf_rows& y) = 0;
  /// What it used in the last run, in one line.
  virtual std::string description() const = 0;
};

/// An entry of the list of contenders.
struct ContenderInfo {
  std::string name;
  std::string note;
  std::function<std::unique_ptr<Contender>(const Contest&)> make;
  bool own = true;  ///< built here: its faults are ours
};

std::unique_ptr<Contender> make_gatefold(const Contest& contest);
std::unique_ptr<Contender> make_unfused(const Contest& contest);

/// Those that `--vs` names: our own and the peers in a folder (which need not exist). `gatefold`
/// itself always takes part and is not among them.
std::vector<ContenderInfo> all_contenders(const std::filesystem::path& peers);

/// "all" or "none", or a list of names; unknown and repeated ones are usage errors.
std::vector<ContenderInfo> contenders_named(const std::string& list,
                                            const std::filesystem::path& peers);

}  // namespace gatefold
