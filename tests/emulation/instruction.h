#pragma once

#include <cstring>

#include "tests/emulation/core.h"

namespace gatefold::emulation {

/// A decoded instruction of the core (bxInstruction_c), as its handlers get it: the handler, then
/// operands and EVEX fields in bytes.
using Handler = void (*)(uint8_t* instruction);

class Instruction {
 public:
  explicit Instruction(uint8_t* at) : at_(at) {}

  template <class T>
  T* destination() const {
    return reinterpret_cast<T*>(zmm(at_[0x14]));
  }
  template <class T>
  const T* source1() const {
    return reinterpret_cast<const T*>(zmm(at_[0x15]));
  }
  template <class T>
  const T* source2() const {  // a memory operand is loaded into a register past the visible ones
    return reinterpret_cast<const T*>(zmm(at_[0x16]));
  }
  template <class T>
  const T* source3() const {
    return reinterpret_cast<const T*>(zmm(at_[0x17] & 63));
  }

  int words() const { return 4 * at_[0x21]; }  ///< 32-bit lanes: 4, 8 or 16
  /// Bit n: lane n is computed.
  uint32_t mask() const {
    return at_[0x23] ? static_cast<uint32_t>(*opmask(at_[0x23])) : ~uint32_t{0};
  }
  bool zeroing() const { return (at_[0x22] & 4) != 0; }
  bool embedded_rounding() const { return (at_[0x13] & 0x10) != 0 && (at_[0x22] & 8) != 0; }

  /// What the core's own handlers end with: on to the next one without a return.
  void next() const {
    instruction_start() = instruction_pointer();
    ++instruction_count();
    if (async_event()) return;
    uint8_t* following = at_ + kSize;
    instruction_pointer() += following[0x12] & 15;  // its length
    Handler handler;
    memcpy(&handler, following, sizeof handler);
    handler(following);
  }

 private:
  static constexpr int kSize = 0x28;
  uint8_t* at_;
};

}  // namespace gatefold::emulation
