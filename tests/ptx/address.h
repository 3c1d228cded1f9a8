#pragma once

#include <cstdint>

#include "tests/ptx/lanes.h"

namespace gatefold::ptx {

/// What an address means: `space` is never none.
struct Place {
  Space space;
  uint64_t address;
};

/// Of the operand that is an address, for one lane; a generic one is found to be shared or local by
/// the window that it is in.
Place place_of(const Step& step, int operand, int lane);

/// cvta and cvta.to.
void execute_cvta(const Step& step);

}  // namespace gatefold::ptx
