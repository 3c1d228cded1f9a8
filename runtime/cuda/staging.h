#pragma once

#include "runtime/cuda/workspace.h"

namespace gatefold::cuda {

/// The bytes that rows begin at a multiple of in kernels.
inline constexpr int64_t kRowAlignment = 16;

/// Gives kernels rows of the caller's as they want them: in device memory, aligned, x with the
/// zeros that pad k. Rows that are so already stay where they are; others go through the workspace.
/// The `data` of what it gives is an address of the device.
class Staging {
 public:
  Staging(const Driver& driver, Workspace& workspace, Stream stream, bool on_host)
      : driver_(driver), workspace_(workspace), stream_(stream), on_host_(on_host) {}

  /// Rows to read, with zeros up to `padded` columns.
  gf_status input(const gf_rows& rows, int64_t padded, gf_rows* staged);
  /// Rows to write; finish() brings them where they belong.
  gf_status output(const gf_rows& rows, gf_rows* staged);
  /// `rows` into what output() gave for them.
  gf_status fill(const gf_rows& rows, const gf_rows& staged);
  gf_status finish(const gf_rows& staged, const gf_rows& rows);

 private:
  bool usable(const gf_rows& rows, int64_t padded) const;
  gf_status make_room(const gf_rows& rows, int64_t padded, gf_rows* staged);
  gf_status clear_padding(const gf_rows& staged);

  const Driver& driver_;
  Workspace& workspace_;
  Stream stream_;
  bool on_host_;
};

}  // namespace gatefold::cuda
