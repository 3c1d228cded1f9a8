#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "generator/mlir/tensor_core_point.h"
#include "spec/error.h"
#include "spec/ffn_spec.h"

namespace gatefold {

/// What the tuner knows of a kernel; carried in the library's table for the runtime's report.
struct KernelRecord {
  std::string origin = "default";  ///< default, tuned, model or given
  /// Whose winner it is: of this `cpu`, of its `micro_architecture`, of another CPU with the same
  /// `isa`; `analytic` without one, `given` where the point was. In the manifest only.
  std::string match = "analytic";
  int tuned_threads = 0;
  std::string runner_up;  ///< empty: not known
  std::optional<double> margin_pct, efficiency, median_ms;
};

struct LibraryKernel {
  KernelSpec spec;
  KernelRecord record;
  /// Of a kernel for CUDA that multiplies on tensor cores; the spec's point is then not used.
  std::optional<TensorCorePoint> tensor_cores = {};

  /// What tables and manifests name.
  std::string point() const;
};

/// A library to build: kernels of one description, ordered by target, then rows.
struct LibraryPlan {
  std::string name;  ///< C identifier
  FfnSpec ffn;
  std::vector<LibraryKernel> kernels;
};

struct LibraryOptions {
  std::filesystem::path emitter;              ///< the gatefold-emit executable
  std::filesystem::path tensor_core_emitter;  ///< gatefold-emit-mlir, if a kernel needs it
  std::filesystem::path directory;            ///< where the library's files go; created if missing
  int jobs = 2;                               ///< emitter processes at once
  double compile_timeout_s = 600;             ///< of one kernel
  int64_t compile_memory_bytes = int64_t{8} << 30;
  bool shared_only = false;                 ///< only libNAME.so: what the tuner needs
  const std::atomic<bool>* stop = nullptr;  ///< set: emitters are killed, build_library throws
  std::function<void(size_t done, size_t total)> progress;
};

/// Thrown by build_library when one kernel's emitter failed; says how.
struct EmitFailure : Error {
  enum class Kind { error, timeout, crash };
  EmitFailure(Kind k, const std::string& message) : Error(ErrorKind::failed, message), how(k) {}
  Kind how;
};

/// What its kernels are for; a usage error if they are for several.
Arch arch_of(const LibraryPlan& plan);

/// The path of gatefold-emit that belongs to this program: beside it, or in ../bin of its prefix.
std::filesystem::path default_emitter();

/// That of gatefold-emit-mlir; empty where it was not built.
std::filesystem::path default_tensor_core_emitter();

/// Emits all kernels in parallel processes, links them and installs libNAME.a, libNAME.so, NAME.h,
/// NAMEConfig.cmake and last NAME.json, each by rename. Leaves nothing behind on failure. The same
/// plan gives the same bytes. Returns the manifest's path (the .so's if shared_only).
std::filesystem::path build_library(const LibraryPlan& plan, const LibraryOptions& options);

/// NAME.json, read back and checked (hostile input).
struct Manifest {
  std::filesystem::path path, shared_object;
  /// Of the shared object, as ByteHash has it; nothing in manifests of before it was there.
  std::optional<int64_t> so_bytes;
  std::string so_hash;
  std::string name;
  Arch arch = Arch::x86_64;
  FfnSpec ffn;
  struct Kernel {
    std::string name, target, packing, point, origin;
    std::string match;  ///< empty in manifests of before it was there
    int64_t rows_min, rows_max;
  };
  std::vector<Kernel> kernels;
};
Manifest read_manifest(const std::filesystem::path& path);

/// An error that names the shared object if it is not there, or does not hold the bytes that the
/// manifest was written for: damaged code looks like any other until it runs.
void check_shared_object(const Manifest& manifest);

}  // namespace gatefold
