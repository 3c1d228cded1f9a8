#include "tuning/builder.h"

#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <system_error>
#include <thread>

namespace gatefold {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

fs::path make_temporary_folder() {
  std::string name = (fs::temp_directory_path() / "gatefold-tune-XXXXXX").string();
  if (!mkdtemp(name.data())) {
    fail("temporary folder " + name + ": " + std::strerror(errno));
  }
  return name;
}

/// All that decides a candidate's code within one run.
std::string key_of(const KernelSpec& kernel) {
  return kernel_name(kernel) + " | " + kernel.packing.text() + " | " + kernel.point.text();
}

LibraryPlan plan_of(const KernelSpec& kernel) {
  // One name for all: the name is in the file, and equal code shall give equal files.
  return {"candidate", kernel.ffn, {{kernel, {}}}};
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

Builder::Builder(BuilderOptions options)
    : options_(std::move(options)), folder_(make_temporary_folder()) {}

Builder::~Builder() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

BuiltCandidate Builder::build_one(const KernelSpec& kernel, int number) const {
  LibraryOptions library;
  library.emitter = options_.emitter;
  library.directory = folder_ / std::to_string(number);
  library.jobs = 1;
  library.compile_timeout_s = options_.timeout_s;
  library.compile_memory_bytes = options_.memory_bytes;
  library.shared_only = true;
  const auto start = Clock::now();
  BuiltCandidate built;
  try {
    built.library = options_.build(plan_of(kernel), library);
    built.code_hash = code_hash(built.library, kernel.point.text());
  } catch (const EmitFailure& failure) {
    built.kind = kind_of(failure.how);
    built.message = failure.what();
  } catch (const std::exception& e) {
    built.kind = TrialKind::compile_error;
    built.message = e.what();
  }
  built.compile_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  return built;
}

std::vector<BuiltCandidate> Builder::build(const std::vector<KernelSpec>& kernels) {
  std::vector<BuiltCandidate> results(kernels.size());
  std::vector<size_t> missing;
  for (size_t i = 0; i < kernels.size(); ++i) {
    const auto known = built_.find(key_of(kernels[i]));
    if (known != built_.end())
      results[i] = known->second;
    else
      missing.push_back(i);
  }
  std::vector<char> begun(kernels.size(), 0);
  std::atomic<size_t> next{0};
  const int first_number = next_;
  const auto work = [&] {
    for (size_t n = next++; n < missing.size(); n = next++) {
      if (options_.stop && options_.stop->load()) return;
      begun[missing[n]] = 1;
      results[missing[n]] = build_one(kernels[missing[n]], first_number + static_cast<int>(n));
    }
  };
  std::vector<std::thread> others;
  const size_t jobs = std::min(missing.size(), static_cast<size_t>(std::max(1, options_.jobs)));
  for (size_t j = 1; j < jobs; ++j) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
  next_ += static_cast<int>(missing.size());
  for (size_t i : missing) {
    if (begun[i])
      built_[key_of(kernels[i])] = results[i];
    else
      results[i].kind = TrialKind::invalid;
  }
  return results;
}

}  // namespace gatefold
