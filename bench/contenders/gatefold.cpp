#include "bench/contenders/library_copies.h"

namespace gatefold {

std::unique_ptr<Contender> make_gatefold(const Contest& contest) {
  return std::make_unique<LibraryCopies>(contest.library, contest);
}

}  // namespace gatefold
