#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "gatefold/gatefold.h"
#include "generator/library.h"

namespace gatefold {

struct LibraryCloser {
  void operator()(gf_library* library) const { gf_library_close(library); }
};
struct BlockDestroyer {
  void operator()(gf_ffn* ffn) const { gf_ffn_destroy(ffn); }
};
using Block = std::unique_ptr<gf_ffn, BlockDestroyer>;

/// Error with the runtime's message unless the status is GF_OK; `context` names what was tried,
/// and is left out where the message names it.
void require_ok(gf_status status, const std::string& context);

/// A usage error unless `isa` is a target's name, "host" or empty.
void check_isa_name(const std::string& isa, const char* flag = "--isa");

/// The threads that the runtime takes: `wanted`, for 0 GATEFOLD_THREADS, else all that it may use.
int threads_in_use(int wanted);

/// A generated library, found through its manifest and opened. What it computes is read from the
/// table in the shared object, which is the truth.
class LoadedLibrary {
 public:
  explicit LoadedLibrary(const std::filesystem::path& manifest);

  const Manifest& manifest() const { return manifest_; }
  const FfnSpec& ffn() const { return ffn_; }
  const gf_library* get() const { return library_.get(); }

  /// The table's kernels of one target, by rows.
  std::vector<const gf_kernel*> kernels(const std::string& target) const;
  /// The kernel that the runtime takes of one target for these rows and threads.
  const gf_kernel& kernel_for(const std::string& target, int64_t rows, int threads) const;
  /// The targets that the table holds, lowest first.
  std::vector<std::string> targets() const;
  /// The one that the runtime takes: `isa`; without it GATEFOLD_ISA; for "host" or neither the best
  /// that this CPU runs.
  std::string target_in_use(const std::string& isa) const;

  /// Packs weights of a shape (the library's where that is fixed). `isa` empty: the best one.
  Block create(Shape shape, const gf_ffn_weights& weights, int threads,
               const std::string& isa = "") const;

  /// The same in two steps: the packed weights, in memory of the caller's, which the block only
  /// reads.
  int64_t packed_bytes(Shape shape, int threads, const std::string& isa = "") const;
  void pack(Shape shape, const gf_ffn_weights& weights, int threads, const std::string& isa,
            void* packed, int64_t bytes) const;
  Block create_packed(Shape shape, const void* packed, int64_t bytes, int threads,
                      const std::string& isa = "") const;

 private:
  gf_ffn_desc description(Shape shape) const;
  void require(gf_status status) const;  ///< require_ok, naming this library

  Manifest manifest_;
  std::unique_ptr<gf_library, LibraryCloser> library_;
  FfnSpec ffn_;
};

gf_report report_of(const gf_ffn* ffn);

/// Dense rows of x or y in a dtype.
gf_rows dense_rows(void* data, DType dtype, int64_t rows, int64_t cols);

}  // namespace gatefold
