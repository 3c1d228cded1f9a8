#include "tests/ptx/address.h"

namespace gatefold::ptx {
namespace {

// Where a block's shared memory and a thread's local memory stand among generic addresses.
constexpr uint64_t kSharedWindow = uint64_t{1} << 40, kLocalWindow = uint64_t{1} << 41;
constexpr uint64_t kWindowSize = uint64_t{1} << 24;

uint64_t window_of(Space space) {
  return space == Space::shared ? kSharedWindow : space == Space::local ? kLocalWindow : 0;
}

Place place_of_generic(uint64_t address) {
  for (const Space space : {Space::shared, Space::local}) {
    const uint64_t offset = address - window_of(space);
    if (offset < kWindowSize) return {space, offset};
  }
  return {Space::global, address};
}

}  // namespace

Place place_of(const Step& step, int operand, int lane) {
  const Operand& at = step.in.operands[static_cast<size_t>(operand)];
  const uint64_t address = step.row(operand)[lane] + static_cast<uint64_t>(at.offset);
  const Space space = step.in.space();
  if (space == Space::none) return place_of_generic(address);
  // Addresses in these may be in registers of 32 bits.
  if (space == Space::shared || space == Space::local) return {space, address & 0xffffffff};
  return {space, address};
}

void execute_cvta(const Step& step) {
  const bool to_generic = step.in.op == Op::cvta;
  const Space space = step.in.space();
  uint64_t* to = step.row(0);
  const uint64_t* from = step.row(1);
  for_lanes_named(step.mask, [&](int i) {
    if (to_generic) {
      to[i] = from[i] + window_of(space);
      return;
    }
    const Place place = place_of_generic(from[i]);
    if (place.space != space) {
      trouble("generic address {:#x} is not in the space that it is made an address of", from[i]);
    }
    to[i] = place.address;
  });
}

}  // namespace gatefold::ptx
