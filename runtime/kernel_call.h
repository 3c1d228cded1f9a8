#pragma once

#include "runtime/call.h"
#include "runtime/call_context.h"

namespace gatefold {

/// The bucket that holds `rows`, or the nearest.
int bucket_for(const gf_ffn& ffn, int64_t rows);

/// Rows of one kernel call: as many as 32-bit indices reach and `limit` allows, in pieces of
/// similar length.
int64_t piece_rows(const gf_ffn& ffn, const Call& call, int64_t limit = INT64_MAX);

void describe_rows(const gf_rows& r, int64_t first, int64_t count, Buffer* buffer);

/// The kernel's result; `residual` may be null.
int call_kernel(gf_ffn& ffn, Bucket& bucket, CallContext* context, Buffer* x, Buffer* residual,
                Buffer* y);

/// The status of a kernel that did not give 0.
gf_status kernel_failure(const gf_kernel& kernel, const CallContext& context, int code);

/// Counts a call that succeeded, for the report.
void note_call(gf_ffn& ffn, int index, const CallContext& context, int64_t rows, double ms);

}  // namespace gatefold
