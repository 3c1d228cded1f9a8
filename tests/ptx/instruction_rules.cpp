#include <fmt/format.h>

#include "tests/ptx/instruction_parser.h"

namespace gatefold::ptx {
namespace {

std::string missing(const Instruction& in, const Form& form) {
  for (size_t group = 0; group < kGroups; ++group) {
    if ((form.required >> group & 1) != 0 && in.modifiers[group] == 0) {
      return fmt::format("{} wants one of: {}", form.name, names_of(static_cast<Group>(group)));
    }
  }
  return {};
}

std::string about_integers(const Instruction& in) {
  const bool product = in.op == Op::mul || in.op == Op::mad;
  if (product != in.has(Group::part)) return "integers want .lo, .hi or .wide in mul and mad alone";
  if (product && bits_of(in.type()) == 64 && in.modifier<Part>(Group::part) == Part::wide) {
    return ".wide ends at 32 bits";
  }
  if (in.has(Group::round) || in.flushes() || in.has(Group::accuracy)) {
    return "integers are not rounded";
  }
  if (in.has(Group::propagate_nan)) return "integers have no NaN";
  const bool saturates = (in.op == Op::add || in.op == Op::sub) && in.type() == Type::s32;
  return in.has(Group::saturate) && !saturates ? ".sat of integers is for add.s32 and sub.s32" : "";
}

std::string about_floats(const Instruction& in) {
  const Type type = in.type();
  const bool divides = in.op == Op::div || in.op == Op::rcp || in.op == Op::sqrt;
  const auto accuracy = in.modifier<Accuracy>(Group::accuracy);
  const bool plain = type == Type::f64 || is_half(type) || divides;
  if (in.has(Group::part)) return "floats have no .lo, .hi or .wide";
  if (in.round() == Round::nearest_away || (plain && in.round() > Round::nearest_even)) {
    return fmt::format("only .rn is known for {}", name_of(type));
  }
  if (in.flushes() && type == Type::f64) return ".ftz is not for f64";
  if (in.has(Group::saturate) && (type == Type::f64 || type == Type::bf16)) {
    return ".sat is for f32 and f16";
  }
  if (in.has(Group::relu) && !is_half(type)) return ".relu is for 16-bit floats";
  if (divides && in.has(Group::round) == (accuracy != Accuracy::none)) {
    return "wanted either .rn or .approx";
  }
  if (accuracy == Accuracy::full && in.op != Op::div) return ".full is for div";
  if (accuracy != Accuracy::none && type == Type::f64) return ".approx is not known for f64";
  return {};
}

bool narrows(Type from, Type to) {
  return bits_of(to) < bits_of(from) || (bits_of(to) == 16 && from != to);
}

std::string about_rounding_of_cvt(const Instruction& in, Type to, Type from) {
  const bool rounds = in.has(Group::round), to_integer = in.has(Group::integer_round);
  const bool from_float = is_float(from), to_float = is_float(to) || to == Type::tf32;
  if (from_float && !to_float && (rounds || !to_integer))
    return "a float becomes an integer by .r?i";
  if (!from_float && to_float && (to_integer || !rounds))
    return "an integer is rounded by .rn .rz ..";
  if (!from_float && !to_float && (rounds || to_integer)) return "integers are not rounded";
  if (from_float && to_float) {
    if (to_integer && (rounds || from != to)) return ".r?i keeps the type";
    if (rounds != (narrows(from, to) || to == Type::tf32))
      return "narrowing and it alone is rounded";
  }
  return {};
}

std::string about_cvt(const Instruction& in) {
  const Type to = in.types[0], from = in.types[1];
  const bool halves = to == Type::f16 || to == Type::bf16 || is_pair(to);
  if (is_pair(from) || from == Type::tf32) return "the source must be a single number";
  if ((in.operands_given == 3) != is_pair(to)) return "pairs are made of two sources";
  if ((is_pair(to) || to == Type::tf32) && from != Type::f32) return "the source must be f32";
  if (in.has(Group::relu) && !halves) return ".relu is for 16-bit floats";
  if (in.round() == Round::nearest_away && to != Type::tf32) return ".rna is for tf32";
  if (in.flushes() && from != Type::f32 && to != Type::f32) return ".ftz is for f32";
  if (is_pair(to)) return in.has(Group::round) && !in.has(Group::integer_round) ? "" : "wanted .rn";
  return about_rounding_of_cvt(in, to, from);
}

std::string about_comparison(const Instruction& in) {
  const Type type = in.types[in.types_given - 1];
  const auto compare = in.modifier<Compare>(Group::compare);
  if (is_float(type) ? compare >= Compare::lo && compare <= Compare::hs : compare >= Compare::equ) {
    return "the comparison is not one of this type";
  }
  const bool words = type >= Type::b8 && type <= Type::b64;
  if (words && compare > Compare::ne) return "bits are equal or not";
  if (in.flushes() && type != Type::f32 && type != Type::f16) return ".ftz is for f32 and f16";
  return in.has(Group::combine) == (in.operands_given == 4) ? "" : "combined with no predicate";
}

std::string about_memory(const Instruction& in) {
  const Space space = in.space();
  const int vector = in.modifier(Group::vector), data = in.op == Op::ld ? 0 : 1;
  const int wanted = vector == 2 ? 4 : vector == 1 ? 2 : 1;
  if (in.operands[data].count != wanted) {
    return fmt::format("{} registers, wanted {}", in.operands[data].count, wanted);
  }
  if (in.op == Op::st && (space == Space::param || space == Space::constant))
    return "can't store there";
  return in.has(Group::read_only) && space != Space::global ? ".nc is for global memory" : "";
}

std::string about_atomics(const Instruction& in) {
  const auto what = in.modifier<Atomic>(Group::atomic);
  if (in.space() >= Space::param) return "atomics are for global and shared memory";
  if ((what == Atomic::exchange) != (in.type() == Type::b32))
    return "exch is for b32 and it for exch";
  return in.type() == Type::f32 && what != Atomic::add ? "f32 is only added" : "";
}

std::string about_move(const Instruction& in) {
  const int to = in.operands[0].count, from = in.operands[1].count;
  if ((to > 1 && from > 1) || to == 3 || from == 3) return "packs or unpacks 2 or 4 registers";
  const int parts = to > from ? to : from;
  return parts > 1 && bits_of(in.type()) / parts < 8 ? "the parts are too narrow" : "";
}

std::string about_matrices(const Instruction& in) {
  const auto shape = in.modifier<MatrixShape>(Group::matrix_shape);
  if (in.op == Op::ldmatrix) {
    const int matrices = 1 << (in.modifier(Group::matrices) - 1);
    if (shape != MatrixShape::m8n8 || in.space() != Space::shared)
      return "wanted .m8n8 and .shared";
    return in.operands[0].count == matrices ? "" : "a register for each matrix";
  }
  const auto [d, a, b, c] = in.types;
  if (shape == MatrixShape::m8n8 || a != b || c != d || a == Type::f32 || d == Type::bf16 ||
      (d == Type::f16 && a != Type::f16)) {
    return "the interpreter has f16 and bf16, m16n8k8 and m16n8k16, with sums in f32 or of f16 in "
           "f16";
  }
  const int deep = shape == MatrixShape::m16n8k16 ? 2 : 1, sums = d == Type::f32 ? 4 : 2;
  const std::array<int, 4> wanted = {sums, 2 * deep, deep, sums};
  for (int i = 0; i < 4; ++i) {
    if (in.operands[i].count != wanted[i]) {
      return fmt::format("operand {} has {} registers, wanted {}", i + 1, in.operands[i].count,
                         wanted[i]);
    }
  }
  return {};
}

std::string about_own_kind(const Instruction& in) {
  switch (in.op) {
    case Op::setp:
    case Op::set:
      return about_comparison(in);
    case Op::cvt:
      return about_cvt(in);
    case Op::ld:
    case Op::st:
      return about_memory(in);
    case Op::atom:
    case Op::red:
      return about_atomics(in);
    case Op::mov:
      return about_move(in);
    case Op::ldmatrix:
    case Op::mma:
      return about_matrices(in);
    case Op::cvta:
    case Op::cvta_to:
      return in.space() == Space::param || in.space() == Space::constant
                 ? "wanted .global, .shared or .local"
                 : "";
    case Op::ex2:
      return in.flushes() && (in.type() == Type::f16 || in.type() == Type::f16x2)
                 ? ".ftz is not for ex2.f16"
                 : "";
    default:
      if (in.op < Op::add || in.op > Op::copysign) return {};
      if (is_float(in.type()) || is_half(in.type())) return about_floats(in);
      return in.op <= Op::max ? about_integers(in) : "";
  }
}

}  // namespace

std::string why_refused(const Instruction& in, const Form& form) {
  const std::string lack = missing(in, form);
  return lack.empty() ? about_own_kind(in) : lack;
}

}  // namespace gatefold::ptx
