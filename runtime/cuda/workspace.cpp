#include "runtime/cuda/workspace.h"

#include <cmath>

#include "runtime/status.h"
#include "runtime/workspace.h"

namespace gatefold::cuda {

Workspace::~Workspace() {
  for (const Piece& piece : pieces_) driver_.memory_free(piece.address);
  if (begin_) driver_.event_destroy(begin_);
  if (end_) driver_.event_destroy(end_);
  if (stream_) driver_.stream_destroy(stream_);
}

/// The smallest piece that holds it: requests that once found their pieces find them again, since a
/// piece that is larger than needed is only taken where no smaller one is left.
gf_status Workspace::allocate(size_t bytes, Address* address) {
  Piece* best = nullptr;
  for (Piece& piece : pieces_) {
    if (!piece.in_use && piece.bytes >= bytes && (!best || piece.bytes < best->bytes))
      best = &piece;
  }
  if (!best) {
    if (const gf_status status = guarded([&] { return add_piece(bytes); }); status != GF_OK)
      return status;
    best = &pieces_.back();
  }
  best->in_use = true;
  *address = best->address;
  return GF_OK;
}

gf_status Workspace::add_piece(size_t bytes) {
  pieces_.reserve(pieces_.size() + 1);  // may throw, and must not after the allocation
  Piece piece = {0, workspace_block(bytes), false};
  const gf_status status = checked(driver_.memory_allocate, &piece.address, piece.bytes);
  if (status != GF_OK) return status;
  bytes_ += piece.bytes;
  pieces_.push_back(piece);
  return GF_OK;
}

void Workspace::release(Address address) {
  for (Piece& piece : pieces_) {
    if (piece.address == address) piece.in_use = false;
  }
}

void Workspace::release_all() {
  for (Piece& piece : pieces_) piece.in_use = false;
}

gf_status Workspace::make_stream() {
  gf_status status = GF_OK;
  if (!stream_) status = checked(driver_.stream_create, &stream_, kNonBlocking);
  if (status == GF_OK && !begin_) status = checked(driver_.event_create, &begin_, 0u);
  if (status == GF_OK && !end_) status = checked(driver_.event_create, &end_, 0u);
  return status;
}

double Workspace::elapsed_ms() const {
  float ms = 0;
  return driver_.event_elapsed(&ms, begin_, end_) == kSuccess ? double{ms} : NAN;
}

}  // namespace gatefold::cuda
