#pragma once

#include <Halide.h>

namespace gatefold {

/// Leaves one prefetch of each line. A schedule asks for one 64-byte line of a stream at a time;
/// Halide 21 takes lines of ARM for 32 bytes, makes a loop of two prefetches of it, and steps
/// between them by elements instead of bytes. For x86 there is no such loop.
class OnePrefetchPerLine : public Halide::Internal::IRMutator {
  using IRMutator::visit;
  Halide::Internal::Stmt visit(const Halide::Internal::For* loop) override;
};

}  // namespace gatefold
