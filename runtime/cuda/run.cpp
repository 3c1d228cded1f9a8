#include "runtime/cuda/run.h"

#include <algorithm>

#include "runtime/cuda/current_context.h"
#include "runtime/cuda/device_call.h"
#include "runtime/cuda/staging.h"
#include "runtime/fp_environment.h"
#include "runtime/futex.h"
#include "runtime/kernel_call.h"

namespace gatefold::cuda {
namespace {

/// A grid has at most 65535 blocks in y and in z: with as many rows a kernel may give each row one.
constexpr int64_t kMaxPieceRows = 65535;

gf_rows piece_of(const gf_rows& all, int64_t first, int64_t count) {
  gf_rows piece = all;
  piece.rows = count;
  piece.row_stride = stride_of(all);
  piece.data = static_cast<uint8_t*>(all.data) + first * stride_of(all) * dtype_bytes(all.dtype);
  return piece;
}

/// A single row too has a stride of whole alignments: kernels may work out addresses with it.
Buffer& describe(const gf_rows& staged, Buffer& buffer) {
  describe_rows(staged, 0, staged.rows, &buffer);
  const int64_t aligned = round_up(staged.cols, kRowAlignment / dtype_bytes(staged.dtype));
  if (staged.rows == 1) buffer.dim[1].stride = static_cast<int32_t>(aligned);
  buffer.move_to_device();
  return buffer;
}

/// One call, whose work goes into one stream.
class Run {
 public:
  Run(gf_ffn& ffn, Bucket& bucket, const Call& call, DeviceCall& device, bool on_host)
      : ffn_(ffn),
        call_(call),
        device_(device),
        on_host_(on_host),
        bucket_(bucket),
        staging_(device.block.driver(), device.workspace, device.stream, on_host) {}

  gf_status pieces() {
    const StandardFpEnvironment standard;
    const int64_t rows = call_.x.rows, step = piece_rows(ffn_, call_, kMaxPieceRows);
    gf_status status = GF_OK;
    for (int64_t first = 0; status == GF_OK && first < rows; first += step)
      status = piece(first, std::min(step, rows - first));
    return status;
  }

 private:
  gf_status piece(int64_t first, int64_t count) {
    const gf_rows x = piece_of(call_.x, first, count), y = piece_of(call_.y, first, count);
    const PackedLayout& up = ffn_.matrices[GF_MATRIX_UP].layout;
    gf_rows x_there = {}, residual_there = {}, y_there = {};
    gf_status status = staging_.input(x, up.kq * up.pair, &x_there);
    if (status == GF_OK) status = staging_.output(y, &y_there);
    if (status == GF_OK && call_.residual) {
      status = residual(piece_of(*call_.residual, first, count), y, y_there, &residual_there);
    }
    if (status == GF_OK && on_host_ && first == 0) status = device_.workspace.record_begin();
    if (status == GF_OK) status = kernel(x_there, residual_there, y_there);
    const bool last = first + count == call_.x.rows;
    if (status == GF_OK && on_host_ && last) status = device_.workspace.record_end();
    if (status == GF_OK) status = staging_.finish(y_there, y);
    device_.workspace.release_all();
    return status;
  }

  /// Where it is y, it stays so: kernels read an element right before they write the one in its
  /// place.
  gf_status residual(const gf_rows& rows, const gf_rows& y, const gf_rows& y_there,
                     gf_rows* there) {
    if (!same_memory(rows, y)) return staging_.input(rows, rows.cols, there);
    *there = y_there;
    return staging_.fill(rows, y_there);
  }

  gf_status kernel(const gf_rows& x, const gf_rows& residual, const gf_rows& y) {
    Buffer in, added, out;
    Buffer* const addend = call_.residual ? &describe(residual, added) : nullptr;
    const int code =
        call_kernel(ffn_, bucket_, &device_, &describe(x, in), addend, &describe(y, out));
    if (device_.status != GF_OK || code == 0) return device_.status;
    return kernel_failure(*bucket_.choice.kernel, device_, code);
  }

  gf_ffn& ffn_;
  const Call& call_;
  DeviceCall& device_;
  const bool on_host_;
  Bucket& bucket_;
  Staging staging_;
};

void note(gf_ffn& ffn, int bucket, const Call& call, DeviceCall& device, double device_ms,
          int64_t start) {
  device.peak_bytes.store(device.workspace.bytes(), std::memory_order_relaxed);
  ffn.device_ms.store(device_ms, std::memory_order_relaxed);
  note_call(ffn, bucket, device, call.x.rows, static_cast<double>(now_ns() - start) * 1e-6);
}

}  // namespace

gf_status run_on_host_memory(gf_ffn& ffn, const Call& call) {
  const int64_t start = now_ns();
  Block& block = *ffn.cuda;
  const Driver& driver = block.driver();
  const CurrentContext current(driver, block.context());
  if (current.status() != GF_OK) return current.status();
  Lease lease(block);
  gf_status status = lease.take_with_stream();
  if (status != GF_OK) return status;
  const Stream stream = lease->stream();
  DeviceCall device(ffn.executor, block, *lease, stream);
  const int bucket = bucket_for(ffn, call.x.rows);
  status = Run(ffn, ffn.buckets[bucket], call, device, true).pieces();
  if (status == GF_OK) status = checked(driver.stream_synchronize, stream);
  // What was enqueued before a failure must not touch the caller's memory after the call.
  if (status != GF_OK) driver.stream_synchronize(stream);
  lease.set_done();
  if (status == GF_OK) note(ffn, bucket, call, device, lease->elapsed_ms(), start);
  return status;
}

gf_status run_on_device_memory(gf_ffn& ffn, const Call& call, Stream stream) {
  const int64_t start = now_ns();
  Block& block = *ffn.cuda;
  const CurrentContext current(block.driver(), block.context());
  if (current.status() != GF_OK) return current.status();
  Lease lease(block);
  if (const gf_status status = lease.take(stream); status != GF_OK) return status;
  DeviceCall device(ffn.executor, block, *lease, stream);
  const int bucket = bucket_for(ffn, call.x.rows);
  const gf_status status = Run(ffn, ffn.buckets[bucket], call, device, false).pieces();
  if (status == GF_OK) note(ffn, bucket, call, device, NAN, start);
  return status;
}

}  // namespace gatefold::cuda
