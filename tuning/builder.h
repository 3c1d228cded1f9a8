#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "generator/library.h"
#include "tuning/run_folder.h"
#include "tuning/trial.h"

namespace gatefold {

/// A candidate's shared library, or why there is none.
struct BuiltCandidate {
  TrialKind kind = TrialKind::ok;
  std::string message;
  std::filesystem::path library;
  std::string code_hash;  ///< equal: the same machine code and constants
  double compile_ms = 0;
};

/// How a library is made; build_library, or a stand-in for it in tests.
using BuildFunction =
    std::function<std::filesystem::path(const LibraryPlan&, const LibraryOptions&)>;

struct BuilderOptions {
  std::filesystem::path emitter;  ///< the gatefold-emit executable
  int jobs = 2;
  double timeout_s = 60;
  int64_t memory_bytes = int64_t{4} << 30;
  std::string core;  ///< a micro-architecture's name: for what candidates are refused
  BuildFunction build = build_library;
  const std::atomic<bool>* stop = nullptr;
};

/// Compiles candidates, each a shared library of one kernel, in a temporary folder that goes with
/// this object. What was built once in this run is not built again.
class Builder {
 public:
  explicit Builder(BuilderOptions options);
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  /// In the order of `kernels`, in parallel; returns when no compiler runs any more. With `stop`
  /// set, kernels that were not finished come back as invalid with an empty message. Throws what
  /// is no kernel's fault: a missing linker, a full disk.
  std::vector<BuiltCandidate> build(const std::vector<KernelSpec>& kernels);

 private:
  bool stopped() const;
  void refuse_hopeless(const KernelSpec& kernel, const std::filesystem::path& folder,
                       BuiltCandidate& built) const;
  BuiltCandidate build_one(const KernelSpec& kernel, int number) const;
  std::vector<std::optional<BuiltCandidate>> build_all(
      const std::vector<const KernelSpec*>& kernels);

  BuilderOptions options_;
  RunFolder folder_;
  std::map<std::string, BuiltCandidate> built_;  ///< by kernel name, packing and point
  int next_ = 0;
};

/// Hash of the code and constants in a shared library, without `text` (the schedule point, which
/// the kernel table carries). The whole file's where it cannot be read as ELF.
std::string code_hash(const std::filesystem::path& library, const std::string& text);

}  // namespace gatefold
