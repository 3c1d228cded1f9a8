#include "tests/ptx/address.h"
#include "tests/ptx/fragments.h"
#include "tests/ptx/warp.h"

namespace gatefold::ptx {

void Warp::wait_in_warp(const Step& step) {
  for_lanes_named(step.mask, [&](int i) {
    const uint32_t lack = uint32_t(step.row(0)[i]) & all_ & ~step.mask;
    if (lack != 0) trouble("lanes {:#010x} of the member mask are elsewhere", lack);
  });
  ++warp_epoch_;
}

void Warp::copy_async(const Step& step) {
  ++async_copies_;
  for_lanes_named(step.mask, [&](int i) {
    AsyncCopy copy;
    copy.to = step.row(0)[i] + static_cast<uint64_t>(step.in.operands[0].offset);
    copy.to &= 0xffffffff;  // the register may have 32 bits
    copy.from = step.row(1)[i] + static_cast<uint64_t>(step.in.operands[1].offset);
    const uint32_t bytes = uint32_t(step.row(2)[i]);
    const uint32_t given = step.in.operands_given == 4 ? uint32_t(step.row(3)[i]) : bytes;
    if (bytes > 16 || given > 16) trouble("cp.async of {} and {} bytes", bytes, given);
    copy.bytes = static_cast<uint8_t>(bytes);
    copy.given = static_cast<uint8_t>(given);
    block_.copies.issue(party(i), copy);
  });
}

/// Lane 8 m + r says where row r of matrix m stands.
void Warp::load_matrices(const Step& step) {
  want_all(step.mask);
  const int matrices = step.in.operands[0].count;
  const bool transposed = step.in.has(Group::transposed);
  const Party warp = Party::whole_warp(index_, warp_epoch_);
  uint16_t words[4][8][8];
  const uint32_t providers = matrices == 4 ? kAllLanes : (uint32_t{1} << (8 * matrices)) - 1;
  for_lanes_named(providers, [&](int i) {
    block_.shared.load(warp, place_of(step, 1, i).address, 16, 16,
                       reinterpret_cast<std::byte*>(words[i / 8][i % 8]));
  });
  for (int matrix = 0; matrix < matrices; ++matrix) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const Element low = fragment_of_load(lane, 0, transposed);
      const Element high = fragment_of_load(lane, 1, transposed);
      step.row(0, matrix)[lane] =
          uint32_t{words[matrix][high.row][high.column]} << 16 | words[matrix][low.row][low.column];
    }
  }
}

}  // namespace gatefold::ptx
