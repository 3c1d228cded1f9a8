#pragma once

#include <cstdint>

namespace gatefold::emulation {

constexpr int kZmms = 32, kLowZmms = 16, kOpmasks = 8;

/// Where a CPU puts the AVX-512 parts of its XSAVE area; 0: it has no such part.
struct XsaveLayout {
  uint32_t opmask, zmm_high, high_zmms;  ///< k0-7, upper halves of zmm0-15, zmm16-31
};
const XsaveLayout& xsave_layout();  ///< of this CPU, from CPUID

/// The vector registers in a signal frame: an FXSAVE area of 512 bytes and, where the kernel says
/// so in its software-reserved bytes, an XSAVE header and the parts after it. A part that is in its
/// initial state is not written by the CPU; then its header bit is clear and it counts as zero.
class SignalFrame {
 public:
  SignalFrame(void* area, const XsaveLayout& layout);

  uint32_t mxcsr() const;
  void set_mxcsr(uint32_t value);

  void get_ymm(int i, uint64_t value[4]) const;
  void put_ymm(int i, const uint64_t value[4]);

  /// Upper halves of zmm0-15, zmm16-31 and k0-7; does nothing where the frame has no place for
  /// them.
  void get_avx512(uint64_t zmm[kZmms][8], uint64_t opmask[kOpmasks]) const;
  void put_avx512(const uint64_t zmm[kZmms][8], const uint64_t opmask[kOpmasks]);

 private:
  bool holds(uint64_t parts) const { return (parts_ & parts) == parts; }
  bool in_use(uint64_t part) const { return (*header() & part) != 0; }
  uint64_t* header() const { return reinterpret_cast<uint64_t*>(area_ + 512); }
  void read(uint64_t part, uint32_t offset, void* to, uint32_t size) const;

  uint8_t* area_;
  const XsaveLayout& layout_;
  uint64_t parts_ = 0;  ///< as bits of XCR0
};

}  // namespace gatefold::emulation
