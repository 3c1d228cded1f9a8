#pragma once

#include <vector>

#include "runtime/cuda/driver.h"

namespace gatefold::cuda {

/// Device memory of one call at a time. What a call gives back is kept for its next request and for
/// the next call: the work of both is in one stream, or the first call's is done.
class Workspace {
 public:
  explicit Workspace(const Driver& driver) : driver_(driver) {}
  ~Workspace();  ///< the context must be current
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  /// 256-byte aligned.
  gf_status allocate(size_t bytes, Address* address);
  void release(Address address);
  void release_all();  ///< at the end of a call, whatever a kernel forgot

  size_t bytes() const { return bytes_; }  ///< held, in use or not

  /// Its own stream and the events that time a call there; made when they are first needed.
  gf_status make_stream();
  Stream stream() const { return stream_; }
  gf_status record_begin() { return checked(driver_.event_record, begin_, stream_); }
  gf_status record_end() { return checked(driver_.event_record, end_, stream_); }
  double elapsed_ms() const;  ///< NaN if the driver does not say

  /// Whose work may still use it: a stream, or nobody's.
  static constexpr uintptr_t kNobody = ~uintptr_t{0};
  uintptr_t user = kNobody;
  bool in_use = false;     ///< by a call that has not returned
  uint64_t last_used = 0;  ///< counted in calls of the block

 private:
  struct Piece {
    Address address;
    size_t bytes;
    bool in_use;
  };

  gf_status add_piece(size_t bytes);

  const Driver& driver_;
  std::vector<Piece> pieces_;
  size_t bytes_ = 0;
  Stream stream_ = nullptr;
  Event begin_ = nullptr;
  Event end_ = nullptr;
};

}  // namespace gatefold::cuda
