/* C++ face of gatefold.h: ownership and exceptions, nothing else. Header only; the exceptions are
 * the caller's, none crosses the C functions. */
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "gatefold/gatefold.h"

namespace gatefold {

class RuntimeError : public std::runtime_error {
 public:
  explicit RuntimeError(gf_status status)
      : std::runtime_error(std::string(gf_status_name(status)) + ": " + gf_last_error()),
        status_(status) {}
  gf_status status() const { return status_; }

 private:
  gf_status status_;
};

inline void check(gf_status status) {
  if (status != GF_OK) throw RuntimeError(status);
}

/// A generated library, opened from its .so or linked in.
class Library {
 public:
  static Library open(const std::string& so_path) {
    gf_library* library = nullptr;
    check(gf_library_open(so_path.c_str(), &library));
    return Library(library);
  }
  /// table: NAME_kernels()
  static Library link(const gf_kernel_table* table) {
    gf_library* library = nullptr;
    check(gf_library_link(table, &library));
    return Library(library);
  }

  const gf_library* get() const { return library_.get(); }
  const gf_kernel_table& table() const { return *gf_library_table(get()); }

 private:
  struct Close {
    void operator()(gf_library* library) const { gf_library_close(library); }
  };
  explicit Library(gf_library* library) : library_(library) {}
  std::unique_ptr<gf_library, Close> library_;
};

/// Row-major tensors of the types in gf_dtype; 16-bit ones as their bits.
inline gf_tensor tensor(const void* data, gf_dtype dtype, int64_t rows, int64_t cols = 1) {
  return {data, rows, cols, 0, dtype, 0};
}
/// The type may be said of floats too.
inline gf_tensor tensor(const float* data, gf_dtype dtype, int64_t rows, int64_t cols = 1) {
  return tensor(static_cast<const void*>(data), dtype, rows, cols);
}
inline gf_tensor tensor(const float* data, int64_t rows, int64_t cols = 1) {
  return tensor(data, GF_F32, rows, cols);
}
inline gf_tensor transposed(gf_tensor in_out) {
  in_out.transposed = 1;
  return in_out;
}

/// All absent; fill in what the variant has.
inline gf_ffn_weights weights() {
  gf_ffn_weights w = {};
  w.struct_size = sizeof w;
  return w;
}

inline gf_options options(int threads = 0, const char* isa = nullptr) {
  return {sizeof(gf_options), threads, isa, nullptr, nullptr, 0, 0};
}

/// Options with all loops on the caller's threads: pool(count, task) calls task(i) exactly once for
/// each 0 <= i < count and returns when all have returned (gf_parallel_for). It may throw as long
/// as no task is running or begins later: the call then fails with GF_PARALLEL_FOR_FAILED. It must
/// outlive the block.
template <typename Pool>
gf_options options_with_pool(const Pool& pool, int threads = 0, const char* isa = nullptr) {
  gf_options o = options(threads, isa);
  o.parallel_for = [](void* context, int count, gf_task task, void* task_context) {
    try {
      (*static_cast<const Pool*>(context))(
          count, [task, task_context](int index) { task(task_context, index); });
      return 0;
    } catch (...) {
      return 1;
    }
  };
  o.parallel_for_context = const_cast<Pool*>(&pool);
  return o;
}
template <typename Pool>
gf_options options_with_pool(const Pool&& pool, int threads = 0,
                             const char* isa = nullptr) = delete;  // it would end before the block

/// One block with its packed weights. Must end before its library.
class Ffn {
 public:
  Ffn(const Library& library, int64_t d_model, int64_t d_ff, const gf_ffn_weights& weights,
      const gf_options& options = gatefold::options())
      : d_model_(d_model) {
    const gf_ffn_desc desc = {sizeof(gf_ffn_desc), d_model, d_ff, nullptr};
    gf_ffn* ffn = nullptr;
    check(gf_ffn_create(library.get(), &desc, &weights, &options, &ffn));
    ffn_.reset(ffn);
  }

  /// A block on weights that pack() wrote, which are neither copied nor freed.
  Ffn(const Library& library, int64_t d_model, int64_t d_ff, const void* packed, int64_t bytes,
      const gf_options& options = gatefold::options())
      : d_model_(d_model) {
    const gf_ffn_desc desc = {sizeof(gf_ffn_desc), d_model, d_ff, nullptr};
    gf_ffn* ffn = nullptr;
    check(gf_ffn_create_packed(library.get(), &desc, packed, bytes, &options, &ffn));
    ffn_.reset(ffn);
  }

  void run(const gf_rows& x, const gf_rows& y) { check(gf_ffn_run(ffn_.get(), &x, &y)); }

  /// Dense rows in f32, and in bf16 as bits.
  void run(const float* x, float* y, int64_t rows) {
    run(dense(x, rows, GF_F32), dense(y, rows, GF_F32));
  }
  void run(const uint16_t* x, uint16_t* y, int64_t rows) {
    run(dense(x, rows, GF_BF16), dense(y, rows, GF_BF16));
  }

  /// y = residual + FFN(x), of libraries with a residual; residual may be y or x.
  void run_residual(const gf_rows& x, const gf_rows& residual, const gf_rows& y) {
    check(gf_ffn_run_residual(ffn_.get(), &x, &residual, &y));
  }
  void run_residual(const float* x, const float* residual, float* y, int64_t rows) {
    run_residual(dense(x, rows, GF_F32), dense(residual, rows, GF_F32), dense(y, rows, GF_F32));
  }
  void run_residual(const uint16_t* x, const uint16_t* residual, uint16_t* y, int64_t rows) {
    run_residual(dense(x, rows, GF_BF16), dense(residual, rows, GF_BF16), dense(y, rows, GF_BF16));
  }

  /// Device memory, on a stream of CUDA: gf_ffn_run_cuda.
  void run_cuda(const gf_rows& x, const gf_rows& y, void* stream) {
    check(gf_ffn_run_cuda(ffn_.get(), &x, nullptr, &y, stream));
  }
  void run_cuda(const gf_rows& x, const gf_rows& residual, const gf_rows& y, void* stream) {
    check(gf_ffn_run_cuda(ffn_.get(), &x, &residual, &y, stream));
  }

  gf_report report() const {
    gf_report report = {};
    report.struct_size = sizeof report;
    check(gf_ffn_report(ffn_.get(), &report));
    return report;
  }

  gf_ffn* get() const { return ffn_.get(); }

 private:
  struct Destroy {
    void operator()(gf_ffn* ffn) const { gf_ffn_destroy(ffn); }
  };

  /// gf_rows serves both directions; what is given as an input is only read.
  gf_rows dense(const void* data, int64_t rows, gf_dtype dtype) const {
    return {sizeof(gf_rows), dtype, const_cast<void*>(data), rows, d_model_, 0};
  }

  int64_t d_model_;
  std::unique_ptr<gf_ffn, Destroy> ffn_;
};

/// Bytes that pack() writes.
inline int64_t packed_bytes(const Library& library, int64_t d_model, int64_t d_ff,
                            const gf_options& options = gatefold::options()) {
  const gf_ffn_desc desc = {sizeof(gf_ffn_desc), d_model, d_ff, nullptr};
  int64_t bytes = 0;
  check(gf_ffn_packed_bytes(library.get(), &desc, &options, &bytes));
  return bytes;
}

/// Packs weights into the caller's memory, aligned to 64 bytes.
inline void pack(const Library& library, int64_t d_model, int64_t d_ff,
                 const gf_ffn_weights& weights, void* buffer, int64_t bytes,
                 const gf_options& options = gatefold::options()) {
  const gf_ffn_desc desc = {sizeof(gf_ffn_desc), d_model, d_ff, nullptr};
  check(gf_ffn_pack(library.get(), &desc, &weights, &options, buffer, bytes));
}

}  // namespace gatefold
