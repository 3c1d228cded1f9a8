#include "tests/emulation/signal_frame.h"

#include <cpuid.h>

#include <cstring>

namespace gatefold::emulation {
namespace {

constexpr uint64_t kSse = 1 << 1, kAvx = 1 << 2, kOpmaskPart = 1 << 5, kZmmHigh = 1 << 6,
                   kHighZmms = 1 << 7, kAvx512 = kOpmaskPart | kZmmHigh | kHighZmms;
constexpr uint32_t kMxcsrAt = 24, kXmmAt = 160, kYmmHighAt = 576;
// The kernel's own words in the FXSAVE area (struct _fpx_sw_bytes).
constexpr uint32_t kMagicAt = 464, kPartsAt = 472, kMagic = 0x46505853;

uint32_t part_offset(uint32_t index) {
  uint32_t a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(0xd, index, &a, &b, &c, &d) ? b : 0;
}

}  // namespace

const XsaveLayout& xsave_layout() {
  static const XsaveLayout layout = {part_offset(5), part_offset(6), part_offset(7)};
  return layout;
}

SignalFrame::SignalFrame(void* area, const XsaveLayout& layout)
    : area_(static_cast<uint8_t*>(area)), layout_(layout) {
  uint32_t magic = 0;
  memcpy(&magic, area_ + kMagicAt, sizeof magic);
  if (magic == kMagic) memcpy(&parts_, area_ + kPartsAt, sizeof parts_);
  if (!layout_.opmask || !layout_.zmm_high || !layout_.high_zmms) parts_ &= ~kAvx512;
}

uint32_t SignalFrame::mxcsr() const {
  uint32_t value = 0;
  memcpy(&value, area_ + kMxcsrAt, sizeof value);
  return value;
}

void SignalFrame::set_mxcsr(uint32_t value) { memcpy(area_ + kMxcsrAt, &value, sizeof value); }

void SignalFrame::read(uint64_t part, uint32_t offset, void* to, uint32_t size) const {
  if (in_use(part)) {
    memcpy(to, area_ + offset, size);
  } else {
    memset(to, 0, size);
  }
}

void SignalFrame::get_ymm(int i, uint64_t value[4]) const {
  const uint32_t at = 16 * static_cast<uint32_t>(i);
  memset(value, 0, 32);
  if (parts_ == 0) {  // no header that could say otherwise
    memcpy(value, area_ + kXmmAt + at, 16);
    return;
  }
  read(kSse, kXmmAt + at, value, 16);
  if (holds(kAvx)) read(kAvx, kYmmHighAt + at, value + 2, 16);
}

void SignalFrame::put_ymm(int i, const uint64_t value[4]) {
  const uint32_t at = 16 * static_cast<uint32_t>(i);
  memcpy(area_ + kXmmAt + at, value, 16);
  if (holds(kAvx)) {
    // All sixteen are written, so that none is left over from before the bits were set.
    memcpy(area_ + kYmmHighAt + at, value + 2, 16);
    *header() |= kSse | kAvx;
  }
}

void SignalFrame::get_avx512(uint64_t zmm[kZmms][8], uint64_t opmask[kOpmasks]) const {
  if (!holds(kAvx512)) return;
  for (uint32_t i = 0; i < kLowZmms; ++i) {
    read(kZmmHigh, layout_.zmm_high + 32 * i, &zmm[i][4], 32);
    read(kHighZmms, layout_.high_zmms + 64 * i, zmm[kLowZmms + i], 64);
  }
  read(kOpmaskPart, layout_.opmask, opmask, 8 * kOpmasks);
}

void SignalFrame::put_avx512(const uint64_t zmm[kZmms][8], const uint64_t opmask[kOpmasks]) {
  if (!holds(kAvx512)) return;
  for (uint32_t i = 0; i < kLowZmms; ++i) {
    memcpy(area_ + layout_.zmm_high + 32 * i, &zmm[i][4], 32);
    memcpy(area_ + layout_.high_zmms + 64 * i, zmm[kLowZmms + i], 64);
  }
  memcpy(area_ + layout_.opmask, opmask, 8 * kOpmasks);
  *header() |= kAvx512;
}

}  // namespace gatefold::emulation
