#include "tests/ptx/lanes.h"

namespace gatefold::ptx {
namespace {

// A register that was never written may be moved (LLVM does that with values that nobody uses);
// what is computed from it is at fault. So a move hands on whether its source was written.
void hand_on(const Step& step, uint32_t to, uint32_t written) {
  uint32_t& lanes = step.registers.written(to);
  lanes = (lanes & ~step.mask) | (step.mask & written);
}

void move(const Step& step) {
  uint64_t* to = step.row(0);
  const uint64_t* from = step.row(1);
  for_lanes(step.mask, [&](int i) { to[i] = from[i]; });
  hand_on(step, step.in.slot(0), step.registers.written(step.in.slot(1)));
}

void pack(const Step& step, int parts, int width) {
  uint64_t packed[kLanes] = {};
  uint32_t written = 0;
  for (int part = 0; part < parts; ++part) {
    const uint64_t* from = step.row(1, part);
    for_lanes(step.mask, [&](int i) {
      packed[i] |= (from[i] & ((uint64_t{1} << width) - 1)) << (part * width);
    });
    written |= step.registers.written(step.in.slot(1, part));
  }
  uint64_t* to = step.row(0);
  for_lanes(step.mask, [&](int i) { to[i] = packed[i]; });
  hand_on(step, step.in.slot(0), written);
}

void unpack(const Step& step, int parts, int width) {
  uint64_t packed[kLanes] = {};
  const uint64_t* from = step.row(1);
  const uint32_t written = step.registers.written(step.in.slot(1));
  for_lanes(step.mask, [&](int i) { packed[i] = from[i]; });  // a part may be the source
  for (int part = 0; part < parts; ++part) {
    uint64_t* to = step.row(0, part);
    for_lanes(step.mask,
              [&](int i) { to[i] = packed[i] >> (part * width) & ((uint64_t{1} << width) - 1); });
    hand_on(step, step.in.slot(0, part), written);
  }
}

}  // namespace

void execute_move(const Step& step) {
  const int to = step.in.operands[0].count, from = step.in.operands[1].count;
  const int bits = bits_of(step.in.type());
  if (from > 1) return pack(step, from, bits / from);
  if (to > 1) return unpack(step, to, bits / to);
  move(step);
}

}  // namespace gatefold::ptx
