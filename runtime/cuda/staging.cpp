#include "runtime/cuda/staging.h"

#include "runtime/call.h"
#include "runtime/pack.h"

namespace gatefold::cuda {
namespace {

size_t row_bytes(const gf_rows& r) { return static_cast<size_t>(r.cols * dtype_bytes(r.dtype)); }

/// Bytes from one row to the next; of a single row the stride means nothing.
size_t pitch_of(const gf_rows& r) {
  const int64_t stride = r.rows > 1 ? stride_of(r) : r.cols;
  return static_cast<size_t>(stride * dtype_bytes(r.dtype));
}

Address address_of(const gf_rows& r) { return reinterpret_cast<uintptr_t>(r.data); }

Copy2D copy_of(const gf_rows& r) {
  Copy2D copy = {};
  copy.width = row_bytes(r);
  copy.height = static_cast<size_t>(r.rows);
  return copy;
}

void set_source(const gf_rows& r, bool on_host, Copy2D& copy) {
  copy.source_type = on_host ? kHostMemory : kDeviceMemory;
  if (on_host) copy.source_host = r.data;
  if (!on_host) copy.source_device = address_of(r);
  copy.source_pitch = pitch_of(r);
}

void set_target(const gf_rows& r, bool on_host, Copy2D& copy) {
  copy.target_type = on_host ? kHostMemory : kDeviceMemory;
  if (on_host) copy.target_host = r.data;
  if (!on_host) copy.target_device = address_of(r);
  copy.target_pitch = pitch_of(r);
}

}  // namespace

bool Staging::usable(const gf_rows& rows, int64_t padded) const {
  constexpr auto kAlignment = static_cast<size_t>(kRowAlignment);
  return !on_host_ && padded == rows.cols && address_of(rows) % kAlignment == 0 &&
         (rows.rows == 1 || pitch_of(rows) % kAlignment == 0);
}

/// The stride is one of whole elements, as sizes of elements divide the alignment.
gf_status Staging::make_room(const gf_rows& rows, int64_t padded, gf_rows* staged) {
  const int64_t size = dtype_bytes(rows.dtype);
  const int64_t pitch = round_up(padded * size, kRowAlignment);
  Address address = 0;
  const gf_status status =
      workspace_.allocate(static_cast<size_t>(pitch) * static_cast<size_t>(rows.rows), &address);
  if (status != GF_OK) return status;
  *staged = rows;
  staged->data = reinterpret_cast<void*>(address);
  staged->row_stride = pitch / size;
  return GF_OK;
}

gf_status Staging::clear_padding(const gf_rows& staged) {
  const auto pitch = static_cast<size_t>(staged.row_stride * dtype_bytes(staged.dtype));
  const size_t used = row_bytes(staged);
  if (used == pitch) return GF_OK;
  const unsigned char zero = 0;
  return checked(driver_.set_bytes_2d, address_of(staged) + used, pitch, zero, pitch - used,
                 static_cast<size_t>(staged.rows), stream_);
}

gf_status Staging::input(const gf_rows& rows, int64_t padded, gf_rows* staged) {
  *staged = rows;
  if (usable(rows, padded)) return GF_OK;
  gf_status status = make_room(rows, padded, staged);
  if (status == GF_OK) status = clear_padding(*staged);
  return status == GF_OK ? fill(rows, *staged) : status;
}

gf_status Staging::output(const gf_rows& rows, gf_rows* staged) {
  *staged = rows;
  return usable(rows, rows.cols) ? GF_OK : make_room(rows, rows.cols, staged);
}

gf_status Staging::fill(const gf_rows& rows, const gf_rows& staged) {
  if (staged.data == rows.data) return GF_OK;
  Copy2D copy = copy_of(rows);
  set_source(rows, on_host_, copy);
  set_target(staged, false, copy);
  return checked(driver_.copy_2d, &copy, stream_);
}

gf_status Staging::finish(const gf_rows& staged, const gf_rows& rows) {
  if (staged.data == rows.data) return GF_OK;
  Copy2D copy = copy_of(rows);
  set_source(staged, false, copy);
  set_target(rows, on_host_, copy);
  return checked(driver_.copy_2d, &copy, stream_);
}

}  // namespace gatefold::cuda
