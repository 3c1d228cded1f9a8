#include "generator/mlir/expression.h"

#include <Halide.h>

#include <bit>
#include <limits>
#include <sstream>

#include "generator/activations.h"
#include "spec/error.h"

namespace gatefold {
namespace {

using namespace Halide::Internal;
using Halide::Expr;
using Halide::Type;

template <typename Node>
[[noreturn]] void refuse(const Node& node, const std::string& why) {
  std::ostringstream text;
  text << "expression: " << node << ": " << why;
  fail(text.str());
}

class Translator {
 public:
  explicit Translator(const std::vector<std::string>& variables) {
    for (size_t i = 0; i < variables.size(); ++i) {
      scope_[variables[i]] = append(ScalarOp::argument, kF32, {}, i);
    }
  }

  ScalarProgram program(const Expr& e) {
    program_.result = value(e);
    return std::move(program_);
  }

 private:
  using Operands = std::vector<int>;

  int append(ScalarOp op, ScalarType type, const Operands& operands, uint64_t bits = 0) {
    ScalarInstruction instruction{op, type, {-1, -1, -1}, bits};
    std::copy(operands.begin(), operands.end(), instruction.operands.begin());
    return program_.append(instruction);
  }

  int constant(ScalarType type, uint64_t bits) {
    const uint64_t mask = type.bits == 64 ? ~uint64_t{0} : (uint64_t{1} << type.bits) - 1;
    return append(ScalarOp::constant, type, {}, bits & mask);
  }

  static ScalarType type_of(const Expr& e) {
    const Type t = e.type();
    const bool real = t.is_float() && !t.is_bfloat() && t.bits() == 32;
    if (t.lanes() != 1 || !(real || t.is_int_or_uint())) {
      std::ostringstream name;
      name << t;
      refuse(e, "type " + name.str() + ", wanted f32, bool or an integer");
    }
    return {real, t.bits()};
  }

  int value(const Expr& e) {
    type_of(e);
    switch (e.node_type()) {
      case IRNodeType::IntImm:
        return constant(type_of(e), uint64_t(e.as<IntImm>()->value));
      case IRNodeType::UIntImm:
        return constant(type_of(e), e.as<UIntImm>()->value);
      case IRNodeType::FloatImm:
        return constant(kF32, std::bit_cast<uint32_t>(float(e.as<FloatImm>()->value)));
      case IRNodeType::Variable:
        return variable(e);
      case IRNodeType::Let:
        return let(*e.as<Let>());
      case IRNodeType::Cast:
        return cast(e, e.as<Cast>()->value);
      case IRNodeType::Reinterpret:
        return reinterpret(e, e.as<Reinterpret>()->value);
      case IRNodeType::Select: {
        const Select* s = e.as<Select>();
        return select(value(s->condition), value(s->true_value), value(s->false_value), type_of(e));
      }
      case IRNodeType::Not:
        return append(ScalarOp::bit_xor, kBool, {value(e.as<Not>()->a), constant(kBool, 1)});
      case IRNodeType::Call:
        return call(e, *e.as<Call>());
      default:
        return binary(e);
    }
  }

  template <typename Node>
  int two(ScalarOp op, const Expr& e) {
    const Node* node = e.as<Node>();
    return append(op, type_of(e), {value(node->a), value(node->b)});
  }

  /// a < b and the like; `swapped` compares b with a.
  template <typename Node>
  int comparison(const Expr& e, ScalarOp op, ScalarOp unsigned_op, bool swapped = false) {
    const Node* node = e.as<Node>();
    const Expr& a = swapped ? node->b : node->a;
    const Expr& b = swapped ? node->a : node->b;
    return append(a.type().is_uint() ? unsigned_op : op, kBool, {value(a), value(b)});
  }

  int binary(const Expr& e) {
    switch (e.node_type()) {
      case IRNodeType::Add:
        return two<Add>(ScalarOp::add, e);
      case IRNodeType::Sub:
        return two<Sub>(ScalarOp::subtract, e);
      case IRNodeType::Mul:
        return two<Mul>(ScalarOp::multiply, e);
      case IRNodeType::Div:
        if (!e.type().is_float()) refuse(e, "division of integers has no instruction");
        return two<Div>(ScalarOp::divide, e);
      case IRNodeType::And:
        return two<And>(ScalarOp::bit_and, e);
      case IRNodeType::Or:
        return two<Or>(ScalarOp::bit_or, e);
      case IRNodeType::Min:
        return least(e, e.as<Min>()->a, e.as<Min>()->b);
      case IRNodeType::Max:
        return greatest(e, e.as<Max>()->a, e.as<Max>()->b);
      case IRNodeType::EQ:
        return comparison<EQ>(e, ScalarOp::equal, ScalarOp::equal);
      case IRNodeType::NE:
        return comparison<NE>(e, ScalarOp::not_equal, ScalarOp::not_equal);
      case IRNodeType::LT:
        return comparison<LT>(e, ScalarOp::less, ScalarOp::less_unsigned);
      case IRNodeType::LE:
        return comparison<LE>(e, ScalarOp::less_equal, ScalarOp::less_equal_unsigned);
      case IRNodeType::GT:
        return comparison<GT>(e, ScalarOp::less, ScalarOp::less_unsigned, true);
      case IRNodeType::GE:
        return comparison<GE>(e, ScalarOp::less_equal, ScalarOp::less_equal_unsigned, true);
      default: {
        std::ostringstream kind;
        kind << e.node_type();
        refuse(e, "node " + kind.str() + " has no instruction");
      }
    }
  }

  int select(int condition, int a, int b, ScalarType type) {
    return append(ScalarOp::select, type, {condition, a, b});
  }

  /// The second where one is NaN, as x86's min and Halide's.
  int least(const Expr& e, const Expr& a, const Expr& b) {
    const int x = value(a), y = value(b);
    return select(less(e, x, y), x, y, type_of(e));
  }

  int greatest(const Expr& e, const Expr& a, const Expr& b) {
    const int x = value(a), y = value(b);
    return select(less(e, y, x), x, y, type_of(e));
  }

  int less(const Expr& e, int a, int b) {
    return append(e.type().is_uint() ? ScalarOp::less_unsigned : ScalarOp::less, kBool, {a, b});
  }

  int variable(const Expr& e) {
    const auto found = scope_.find(e.as<Variable>()->name);
    if (found == scope_.end()) refuse(e, "no such variable here");
    return found->second;
  }

  int let(const Let& node) {
    const int bound = value(node.value);
    const auto [place, is_new] = scope_.emplace(node.name, bound);
    const int outer = place->second;
    place->second = bound;
    const int body = value(node.body);
    if (is_new) {
      scope_.erase(node.name);
    } else {
      scope_[node.name] = outer;
    }
    return body;
  }

  int cast(const Expr& e, const Expr& from) {
    const ScalarType to = type_of(e), was = type_of(from);
    const int v = value(from);
    if (to == was) return v;
    if (was.real) {
      if (!e.type().is_int() || to.bits != 32) refuse(e, "a float becomes an int32 only");
      return append(ScalarOp::to_signed, to, {v});
    }
    const bool has_sign = from.type().is_int();
    if (to.real) return append(has_sign ? ScalarOp::from_signed : ScalarOp::from_unsigned, to, {v});
    if (to == kBool) return append(ScalarOp::not_equal, to, {v, constant(was, 0)});
    if (to.bits < was.bits) return append(ScalarOp::truncate, to, {v});
    return append(has_sign ? ScalarOp::sign_extend : ScalarOp::zero_extend, to, {v});
  }

  int reinterpret(const Expr& e, const Expr& from) {
    const ScalarType to = type_of(e), was = type_of(from);
    if (to.bits != was.bits) refuse(e, "reinterprets another number of bits");
    return to == was ? value(from) : append(ScalarOp::reinterpret, to, {value(from)});
  }

  int call(const Expr& e, const Call& c) {
    static const std::map<Call::IntrinsicOp, ScalarOp> pairs = {
        {Call::strict_add, ScalarOp::add},       {Call::strict_sub, ScalarOp::subtract},
        {Call::strict_mul, ScalarOp::multiply},  {Call::strict_div, ScalarOp::divide},
        {Call::strict_eq, ScalarOp::equal},      {Call::strict_lt, ScalarOp::less},
        {Call::strict_le, ScalarOp::less_equal}, {Call::bitwise_and, ScalarOp::bit_and},
        {Call::bitwise_or, ScalarOp::bit_or},    {Call::bitwise_xor, ScalarOp::bit_xor},
    };
    for (const auto& [intrinsic, op] : pairs) {
      if (!c.is_intrinsic(intrinsic)) continue;
      return append(op, type_of(e), {value(c.args.at(0)), value(c.args.at(1))});
    }
    if (c.is_intrinsic(Call::strict_min)) return least(e, c.args.at(0), c.args.at(1));
    if (c.is_intrinsic(Call::strict_max)) return greatest(e, c.args.at(0), c.args.at(1));
    if (c.is_intrinsic(Call::shift_left)) return shift(e, c, ScalarOp::shift_left);
    if (c.is_intrinsic(Call::shift_right)) {
      return shift(e, c, e.type().is_int() ? ScalarOp::shift_right_signed : ScalarOp::shift_right);
    }
    return of_one(e, c);
  }

  int shift(const Expr& e, const Call& c, ScalarOp op) {
    const auto* i = c.args.at(1).as<IntImm>();
    const auto* u = c.args.at(1).as<UIntImm>();
    const int64_t by = i ? i->value : u ? int64_t(u->value) : -1;
    // Halide shifts the other way by a negative amount, which is not known here.
    if (by < 0 || by >= e.type().bits()) refuse(e, "a shift that is not by a constant in range");
    return append(op, type_of(e), {value(c.args.at(0)), constant(type_of(e), uint64_t(by))});
  }

  int of_one(const Expr& e, const Call& c) {
    if (c.args.size() != 1) refuse(e, "call of '" + c.name + "' has no instruction");
    const Expr& x = c.args[0];
    const bool of_real = type_of(x) == kF32;
    if (c.is_intrinsic(Call::likely) || c.is_intrinsic(Call::likely_if_innermost)) return value(x);
    if (c.is_intrinsic(Call::bitwise_not)) {
      return append(ScalarOp::bit_xor, type_of(e), {value(x), constant(type_of(e), ~uint64_t{0})});
    }
    if (of_real && c.is_intrinsic(Call::abs)) return absolute(x);
    if (c.name == "floor_f32") return append(ScalarOp::floor, kF32, {value(x)});
    if (c.name == "ceil_f32") return append(ScalarOp::ceil, kF32, {value(x)});
    if (c.name == "sqrt_f32") return append(ScalarOp::square_root, kF32, {value(x)});
    if (c.name == "is_nan_f32") return append(ScalarOp::not_equal, kBool, {value(x), value(x)});
    const int infinity =
        constant(kF32, std::bit_cast<uint32_t>(std::numeric_limits<float>::infinity()));
    if (c.name == "is_inf_f32") return append(ScalarOp::equal, kBool, {absolute(x), infinity});
    if (c.name == "is_finite_f32") return append(ScalarOp::less, kBool, {absolute(x), infinity});
    refuse(e, "call of '" + c.name + "' has no instruction");
  }

  int absolute(const Expr& x) { return append(ScalarOp::absolute, kF32, {value(x)}); }

  ScalarProgram program_;
  std::map<std::string, int> scope_;
};

}  // namespace

ScalarProgram translate(const Expr& expression, const std::vector<std::string>& variables) {
  // Shared parts of an expression are visited once only if they are bound to names.
  const Expr shared = common_subexpression_elimination(expression, true);
  return Translator(variables).program(shared);
}

ScalarProgram hidden_program(const Variant& variant) {
  const Expr gate = Variable::make(Halide::Float(32), "gate");
  const Expr up = Variable::make(Halide::Float(32), "up");
  return variant.gated ? translate(gated_hidden(variant, gate, up), {"gate", "up"})
                       : translate(dense_hidden(variant, up), {"up"});
}

}  // namespace gatefold
