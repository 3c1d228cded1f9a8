#include "tests/ptx/warp.h"

namespace gatefold::ptx {

void Warp::execute(const Instruction& in, uint32_t mask) {
  if (in.op == Op::mov) return execute_move({in, mask, registers_});
  want_written(in, mask);
  dispatch({in, mask, registers_});
  note_written(in, mask);
}

void Warp::want_written(const Instruction& in, uint32_t mask) {
  for (int i = 0; i < in.slots_given; ++i) {
    if ((in.sources >> i & 1) == 0) continue;
    const uint32_t lack = mask & ~registers_.written(in.slots[static_cast<size_t>(i)]);
    if (lack == 0) continue;
    // What is not selected may be anything.
    if (in.op == Op::selp && i < 3) continue;
    trouble_of(std::countr_zero(lack), "register {} of the instruction was never written", i + 1);
  }
}

void Warp::note_written(const Instruction& in, uint32_t mask) {
  for (int i = 0; i < in.slots_given; ++i) {
    if ((in.sources >> i & 1) == 0) registers_.written(in.slots[static_cast<size_t>(i)]) |= mask;
  }
}

void Warp::want_all(uint32_t mask) const {
  if (mask == kAllLanes) return;
  trouble_of(std::countr_zero(~mask),
             "the warp has not converged: lanes {:#010x} execute this, wanted all 32", mask);
}

void Warp::dispatch(const Step& step) {
  const Type type = step.in.type();
  switch (step.in.op) {
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::mad:
    case Op::fma:
    case Op::div:
    case Op::rem:
    case Op::neg:
    case Op::abs:
    case Op::min:
    case Op::max:
    case Op::copysign:
      if (is_half(type)) return execute_half(step);
      return is_float(type) ? execute_float(step) : execute_integer(step);
    case Op::bit_and:
    case Op::bit_or:
    case Op::bit_xor:
    case Op::bit_not:
    case Op::shl:
    case Op::shr:
    case Op::bfe:
    case Op::bfi:
    case Op::prmt:
    case Op::lop3:
    case Op::shf:
    case Op::popc:
    case Op::clz:
    case Op::brev:
      return execute_bits(step);
    case Op::ex2:
    case Op::lg2:
    case Op::rcp:
    case Op::sqrt:
    case Op::rsqrt:
    case Op::sin:
    case Op::cos:
    case Op::tanh:
    case Op::testp:
      return is_half(type) ? execute_half(step) : execute_function(step);
    case Op::setp:
    case Op::set:
    case Op::selp:
      return execute_comparison(step);
    case Op::cvt:
      return execute_conversion(step);
    case Op::shfl:
    case Op::vote:
    case Op::activemask:
      return execute_exchange(step);
    case Op::mma:
      want_all(step.mask);
      ++matrix_products_;
      return execute_matrix_product(step);
    case Op::ldmatrix:
    case Op::cvta:
    case Op::cvta_to:
    case Op::ld:
    case Op::st:
    case Op::atom:
    case Op::red:
    case Op::cp_async:
    case Op::cp_async_commit:
    case Op::cp_async_wait_group:
    case Op::cp_async_wait_all:
    case Op::bar_warp_sync:
    case Op::fence:
      return execute_access(step);
    case Op::trap:
      trouble("the kernel traps");
    case Op::mov:
    case Op::bra:
    case Op::ret:
    case Op::exit:
    case Op::bar_sync:
      break;
  }
  trouble("the instruction is executed elsewhere");
}

}  // namespace gatefold::ptx
