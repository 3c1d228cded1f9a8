#include "tuning/builder.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <fstream>
#include <mutex>
#include <thread>

#include "tuning/assembly_check.h"
#include "tuning/disassembler.h"

namespace gatefold {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr size_t kRoom = size_t{256} << 10;  // a kernel's object and library

/// All that decides a candidate's code within one run.
std::string key_of(const KernelSpec& kernel) {
  return kernel_name(kernel) + " | " + kernel.packing.text() + " | " + kernel.point.text();
}

LibraryPlan plan_of(const KernelSpec& kernel) {
  // One name for all: the name is in the file, and equal code shall give equal files.
  return {"candidate", kernel.ffn, {{kernel, {}}}};
}

/// A compiler that finds no room for its output fails too, which says nothing of the kernel.
void require_room(const fs::path& folder, const std::string& name) {
  const fs::path probe = folder / name;
  std::ofstream file(probe, std::ios::binary);
  file << std::string(kRoom, 'x');
  file.close();
  const int error = errno;
  if (!file) fail("temporary folder " + folder.string() + ": no room: " + std::strerror(error));
  fs::remove(probe);
}

TrialKind kind_of(EmitFailure::Kind how) {
  switch (how) {
    case EmitFailure::Kind::timeout:
      return TrialKind::compile_timeout;
    case EmitFailure::Kind::error:
    case EmitFailure::Kind::crash:
      return TrialKind::compile_error;
  }
  return TrialKind::compile_error;
}

}  // namespace

Builder::Builder(BuilderOptions options) : options_(std::move(options)) {}

/// What its code shows to be slow is not measured.
void Builder::refuse_hopeless(const KernelSpec& kernel, const fs::path& folder,
                              BuiltCandidate& built) const {
  const Arch arch = info(kernel.target).arch;
  const auto reason = why_refused(
      kernel, disassembly_of(built.library, arch, folder, options_.stop), options_.core);
  if (!reason) return;
  built.kind = TrialKind::invalid;
  built.message = *reason;
}

BuiltCandidate Builder::build_one(const KernelSpec& kernel, int number) const {
  LibraryOptions library;
  library.emitter = options_.emitter;
  library.directory = folder_.path() / std::to_string(number);
  library.jobs = 1;
  library.compile_timeout_s = options_.timeout_s;
  library.compile_memory_bytes = options_.memory_bytes;
  library.shared_only = true;
  library.stop = options_.stop;
  const auto start = Clock::now();
  BuiltCandidate built;
  try {
    built.library = options_.build(plan_of(kernel), library);
    built.code_hash = code_hash(built.library, kernel.point.text());
    refuse_hopeless(kernel, library.directory, built);
  } catch (const EmitFailure& failure) {
    require_room(folder_.path(), "room-" + std::to_string(number));
    built.kind = kind_of(failure.how);
    built.message = failure.what();
  }
  built.compile_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  return built;
}

bool Builder::stopped() const { return options_.stop && options_.stop->load(); }

/// Builds in parallel; those that were not begun, or not finished because of a stop, stay empty.
/// The first failure that is no kernel's ends it.
std::vector<std::optional<BuiltCandidate>> Builder::build_all(
    const std::vector<const KernelSpec*>& kernels) {
  std::vector<std::optional<BuiltCandidate>> results(kernels.size());
  std::atomic<size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      for (size_t n = next++; n < kernels.size() && !stopped(); n = next++) {
        results[n] = build_one(*kernels[n], next_ + static_cast<int>(n));
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
      next = kernels.size();
    }
  };
  std::vector<std::thread> others;
  const size_t jobs = std::min(kernels.size(), static_cast<size_t>(std::max(1, options_.jobs)));
  for (size_t j = 1; j < jobs; ++j) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
  next_ += static_cast<int>(kernels.size());
  if (failure && !stopped()) std::rethrow_exception(failure);
  return results;
}

std::vector<BuiltCandidate> Builder::build(const std::vector<KernelSpec>& kernels) {
  std::map<std::string, const KernelSpec*> missing;
  for (const KernelSpec& kernel : kernels) {
    if (!built_.count(key_of(kernel))) missing.emplace(key_of(kernel), &kernel);
  }
  std::vector<const KernelSpec*> wanted;
  for (const auto& [key, kernel] : missing) wanted.push_back(kernel);
  const std::vector<std::optional<BuiltCandidate>> made = build_all(wanted);
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (made[i]) built_[key_of(*wanted[i])] = *made[i];
  }
  std::vector<BuiltCandidate> results(kernels.size());
  for (size_t i = 0; i < kernels.size(); ++i) {
    const auto known = built_.find(key_of(kernels[i]));
    if (known != built_.end())
      results[i] = known->second;
    else
      results[i].kind = TrialKind::invalid;
  }
  return results;
}

}  // namespace gatefold
