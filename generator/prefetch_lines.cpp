#include "generator/prefetch_lines.h"

namespace gatefold {

Halide::Internal::Stmt OnePrefetchPerLine::visit(const Halide::Internal::For* loop) {
  using namespace Halide::Internal;
  if (loop->name.rfind("prefetch_split_", 0) != 0) return IRMutator::visit(loop);
  return substitute(loop->name, loop->min, loop->body);
}

}  // namespace gatefold
