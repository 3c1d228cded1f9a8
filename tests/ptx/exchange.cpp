#include <algorithm>

#include "tests/ptx/lanes.h"

namespace gatefold::ptx {
namespace {

void want_members(const Step& step, int operand) {
  const uint64_t* members = step.row(operand);
  for_lanes_named(step.mask, [&](int i) {
    if (uint32_t(members[i]) != step.mask) {
      trouble(
          "the warp has not converged: lanes {:#010x} execute this, wanted those of the "
          "member mask, {:#010x}",
          step.mask, uint32_t(members[i]));
    }
  });
}

/// The lane that `lane` reads from, and whether it is inside the segment.
std::pair<uint32_t, bool> source_lane(Shuffle shuffle, uint32_t lane, uint32_t by, uint32_t c) {
  by &= 31;
  const uint32_t clamp = c & 31, segment = c >> 8 & 31;
  const uint32_t least = lane & segment, most = least | (clamp & ~segment);
  switch (shuffle) {
    case Shuffle::up: {
      const int from = static_cast<int>(lane) - static_cast<int>(by);
      return {static_cast<uint32_t>(from), from >= static_cast<int>(most)};
    }
    case Shuffle::down:
      return {lane + by, lane + by <= most};
    case Shuffle::butterfly:
      return {lane ^ by, (lane ^ by) <= most};
    case Shuffle::index: {
      const uint32_t from = least | (by & ~segment);
      return {from, from <= most};
    }
    case Shuffle::none:
      break;
  }
  trouble("no kind of shuffle is given");
}

void shuffle(const Step& step) {
  want_members(step, 4);
  const auto kind = step.in.modifier<Shuffle>(Group::shuffle);
  uint64_t before[kLanes];
  std::copy_n(step.row(1), kLanes, before);
  uint64_t *to = step.row(0), *inside = step.in.operands[0].pair ? step.row(0, 1) : nullptr;
  const uint64_t *by = step.row(2), *c = step.row(3);
  uint64_t results[kLanes] = {}, insides[kLanes] = {};
  for_lanes_named(step.mask, [&](int i) {
    auto [from, is_inside] =
        source_lane(kind, static_cast<uint32_t>(i), uint32_t(by[i]), uint32_t(c[i]));
    if (!is_inside) from = static_cast<uint32_t>(i);
    if ((step.mask >> from & 1) == 0)
      trouble("the shuffle reads lane {}, which takes no part", from);
    results[i] = before[from];
    insides[i] = is_inside;
  });
  for_lanes(step.mask, [&](int i) {
    to[i] = results[i];
    if (inside) inside[i] = insides[i];
  });
}

uint64_t decided(Vote vote, uint32_t yes, uint32_t members) {
  switch (vote) {
    case Vote::all:
      return yes == members;
    case Vote::any:
      return yes != 0;
    case Vote::uniform:
      return yes == members || yes == 0;
    case Vote::ballot:
      return yes;
    case Vote::none:
      break;
  }
  trouble("no kind of vote is given");
}

void vote(const Step& step) {
  want_members(step, 2);
  const uint64_t* predicate = step.row(1);
  const bool negated = step.in.operands[1].negated;
  uint32_t yes = 0;
  for_lanes(step.mask, [&](int i) { yes |= uint32_t{((predicate[i] & 1) != 0) != negated} << i; });
  const uint64_t result = decided(step.in.modifier<Vote>(Group::vote), yes, step.mask);
  uint64_t* to = step.row(0);
  for_lanes(step.mask, [&](int i) { to[i] = result; });
}

}  // namespace

void execute_exchange(const Step& step) {
  if (step.in.op == Op::shfl) return shuffle(step);
  if (step.in.op == Op::vote) return vote(step);
  uint64_t* to = step.row(0);
  for_lanes(step.mask, [&](int i) { to[i] = step.mask; });
}

}  // namespace gatefold::ptx
