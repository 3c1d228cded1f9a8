#include "tests/ptx/instruction_table.h"

#include <array>
#include <unordered_map>

namespace gatefold::ptx {
namespace {

constexpr uint32_t bit(Type type) { return uint32_t{1} << static_cast<int>(type); }
template <typename... Groups>
constexpr uint64_t only(Groups... groups) {
  return ((uint64_t{1} << static_cast<int>(groups)) | ...);
}

using enum Type;
constexpr uint32_t kWords = bit(b16) | bit(b32) | bit(b64);
constexpr uint32_t kSigned = bit(s16) | bit(s32) | bit(s64);
constexpr uint32_t kInts = bit(u16) | bit(u32) | bit(u64) | kSigned;
constexpr uint32_t kShortPairs = bit(u16x2) | bit(s16x2);
constexpr uint32_t kFloats = bit(f32) | bit(f64);
constexpr uint32_t kHalves = bit(f16) | bit(f16x2) | bit(bf16) | bit(bf16x2);
constexpr uint32_t kScalars = kWords | kInts | kFloats | bit(f16) | bit(bf16) | bit(pred);
constexpr uint32_t kBytes = bit(b8) | bit(u8) | bit(s8);
constexpr uint32_t kMemory = (kScalars & ~bit(pred)) | kBytes | bit(f16x2) | bit(bf16x2);
constexpr uint32_t kLong = bit(u32) | bit(s32) | bit(u64) | bit(s64);

using enum Group;
constexpr uint64_t kArithmetic = only(round, flush, saturate, part);
constexpr uint64_t kFunction = only(round, flush, accuracy);

// clang-format off
constexpr Form kForms[] = {
    {"mov", Op::mov, 1, kScalars, "DS"},
    {"cvta", Op::cvta, 1, bit(u32) | bit(u64), "ds", 0, only(space)},
    {"cvta.to", Op::cvta_to, 1, bit(u32) | bit(u64), "ds", 0, only(space)},
    {"ld", Op::ld, 1, kMemory, "Dm", only(space, read_only, Group::vector, ignored)},
    {"st", Op::st, 1, kMemory, "mS", only(space, Group::vector, ignored)},
    {"atom", Op::atom, 1, kLong | bit(b32) | bit(f32), "dms", only(space, ignored), only(atomic)},
    {"red", Op::red, 1, kLong | bit(f32), "ms", only(space, ignored), only(atomic)},

    {"add", Op::add, 1, kInts | kShortPairs | kFloats | kHalves, "dss", kArithmetic},
    {"sub", Op::sub, 1, kInts | kFloats | kHalves, "dss", kArithmetic},
    {"mul", Op::mul, 1, kInts | kFloats | kHalves, "dss", kArithmetic},
    {"mad", Op::mad, 1, kInts | kFloats, "dsss", kArithmetic},
    {"fma", Op::fma, 1, kFloats | kHalves, "dsss", only(flush, saturate, relu), only(round)},
    {"div", Op::div, 1, kInts | kFloats, "dss", kFunction},
    {"rem", Op::rem, 1, kInts, "dss"},
    {"neg", Op::neg, 1, kSigned | kFloats | kHalves, "ds", only(flush)},
    {"abs", Op::abs, 1, kSigned | kFloats | kHalves, "ds", only(flush)},
    {"min", Op::min, 1, kInts | kShortPairs | kFloats | kHalves, "dss", only(flush, propagate_nan)},
    {"max", Op::max, 1, kInts | kShortPairs | kFloats | kHalves, "dss", only(flush, propagate_nan)},

    {"and", Op::bit_and, 1, kWords | bit(pred), "dss"},
    {"or", Op::bit_or, 1, kWords | bit(pred), "dss"},
    {"xor", Op::bit_xor, 1, kWords | bit(pred), "dss"},
    {"not", Op::bit_not, 1, kWords | bit(pred), "ds"},
    {"shl", Op::shl, 1, kWords, "dss"},
    {"shr", Op::shr, 1, kWords | kInts, "dss"},
    {"bfe", Op::bfe, 1, kLong, "dsss"},
    {"bfi", Op::bfi, 1, bit(b32) | bit(b64), "dssss"},
    {"prmt", Op::prmt, 1, bit(b32), "dsss"},
    {"lop3", Op::lop3, 1, bit(b32), "dssss"},
    {"shf", Op::shf, 1, bit(b32), "dsss", 0, only(side, shift_count)},
    {"popc", Op::popc, 1, bit(b32) | bit(b64), "ds"},
    {"clz", Op::clz, 1, bit(b32) | bit(b64), "ds"},
    {"brev", Op::brev, 1, bit(b32) | bit(b64), "ds"},

    {"ex2", Op::ex2, 1, bit(f32) | kHalves, "ds", only(flush), only(accuracy)},
    {"lg2", Op::lg2, 1, bit(f32), "ds", only(flush), only(accuracy)},
    {"rcp", Op::rcp, 1, kFloats, "ds", kFunction},
    {"sqrt", Op::sqrt, 1, kFloats, "ds", kFunction},
    {"rsqrt", Op::rsqrt, 1, bit(f32), "ds", only(flush), only(accuracy)},
    {"sin", Op::sin, 1, bit(f32), "ds", only(flush), only(accuracy)},
    {"cos", Op::cos, 1, bit(f32), "ds", only(flush), only(accuracy)},
    {"tanh", Op::tanh, 1, bit(f32) | kHalves, "ds", 0, only(accuracy)},
    {"copysign", Op::copysign, 1, kFloats, "dss"},
    {"testp", Op::testp, 1, kFloats, "ds", 0, only(test)},

    {"setp", Op::setp, 1, kScalars & ~bit(pred), "pss?n", only(combine, flush), only(compare)},
    {"set", Op::set, 2, kInts | kWords | kFloats, "dss?n", only(combine, flush), only(compare)},
    {"selp", Op::selp, 1, kScalars & ~bit(pred), "dsss"},
    {"cvt", Op::cvt, 2, (kInts | kFloats | kHalves | kBytes | bit(tf32)) & ~bit(b8), "ds?s",
     only(round, integer_round, flush, saturate, relu)},

    {"bra", Op::bra, 0, 0, "l", only(uniform)},
    {"ret", Op::ret, 0, 0, "", only(uniform)},
    {"exit", Op::exit, 0, 0, ""},
    {"trap", Op::trap, 0, 0, ""},

    {"bar.sync", Op::bar_sync, 0, 0, "s?s"},
    {"bar.cta.sync", Op::bar_sync, 0, 0, "s?s"},
    {"barrier.sync", Op::bar_sync, 0, 0, "s?s"},
    {"barrier.sync.aligned", Op::bar_sync, 0, 0, "s?s"},
    {"barrier.cta.sync", Op::bar_sync, 0, 0, "s?s"},
    {"barrier.cta.sync.aligned", Op::bar_sync, 0, 0, "s?s"},
    {"bar.warp.sync", Op::bar_warp_sync, 0, 0, "s"},
    {"membar", Op::fence, 0, 0, "", only(ignored)},
    {"fence", Op::fence, 0, 0, "", only(ignored)},
    {"shfl.sync", Op::shfl, 1, bit(b32), "pssss", 0, only(shuffle)},
    {"vote.sync", Op::vote, 1, bit(pred) | bit(b32), "dns", 0, only(Group::vote)},
    {"activemask", Op::activemask, 1, bit(b32), "d"},

    {"cp.async.ca.shared.global", Op::cp_async, 0, 0, "mms?s", only(ignored)},
    {"cp.async.cg.shared.global", Op::cp_async, 0, 0, "mms?s", only(ignored)},
    {"cp.async.ca.shared::cta.global", Op::cp_async, 0, 0, "mms?s", only(ignored)},
    {"cp.async.cg.shared::cta.global", Op::cp_async, 0, 0, "mms?s", only(ignored)},
    {"cp.async.commit_group", Op::cp_async_commit, 0, 0, ""},
    {"cp.async.wait_group", Op::cp_async_wait_group, 0, 0, "s"},
    {"cp.async.wait_all", Op::cp_async_wait_all, 0, 0, ""},

    {"ldmatrix.sync.aligned", Op::ldmatrix, 1, bit(b16), "Dm", only(transposed),
     only(matrix_shape, matrices, space)},
    {"mma.sync.aligned", Op::mma, 4, bit(f16) | bit(bf16) | bit(f32), "DSSS", 0,
     only(matrix_shape, a_layout, b_layout)},
};

// In the order of each group's enumerators; "a|b" are two names of one thing. What is ignored is
// about caches and the order of memory, and changes nothing where one block runs after the other.
constexpr std::array<std::string_view, kGroups> kNames = {
    "rn rz rm rp rna", "rni rzi rmi rpi", "ftz", "sat", "relu", "approx full", "NaN", "uni",
    "lo hi wide", "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan", "and or xor",
    "global shared|shared::cta param const local", "v2 v4", "nc", "l r", "clamp wrap",
    "finite infinite number notanumber normal subnormal", "up down bfly idx", "all any uni ballot",
    "x1 x2 x4", "trans", "m8n8 m16n8k8 m16n8k16", "row", "col", "add min max exch",
    "ca cg cs lu cv wb wt volatile weak relaxed acquire release acq_rel sc gl gpu cta cluster sys "
    "L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate "
    "L2::evict_normal L2::evict_first L2::evict_last L2::64B L2::128B L2::256B"};

constexpr std::array<std::string_view, 23> kTypes = {
    "",    "b8",  "b16", "b32",   "b64",  "u8",     "u16",  "u32", "u64", "s8",  "s16",
    "s32", "s64", "f16", "f16x2", "bf16", "bf16x2", "tf32", "f32", "f64", "pred",
    "u16x2", "s16x2"};
// clang-format on

/// The place of `name` among the names, from 1; 0 if it isn't there.
uint8_t place_in(std::string_view names, std::string_view name) {
  uint8_t place = 1;
  size_t begin = 0;
  while (begin < names.size()) {
    const size_t end = std::min(names.find_first_of(" |", begin), names.size());
    if (names.substr(begin, end - begin) == name) return place;
    place += end < names.size() && names[end] == ' ';
    begin = end + 1;
  }
  return 0;
}

}  // namespace

const Form* find_form(std::string_view dotted, size_t& name_length) {
  static const auto* forms = [] {
    auto* map = new std::unordered_map<std::string_view, const Form*>;
    for (const Form& form : kForms) map->emplace(form.name, &form);
    return map;
  }();
  for (size_t length = dotted.size(); length != std::string_view::npos;
       length = length == 0 ? std::string_view::npos : dotted.rfind('.', length - 1)) {
    const auto found = forms->find(dotted.substr(0, length));
    if (found != forms->end()) {
      name_length = length;
      return found->second;
    }
  }
  return nullptr;
}

std::optional<Type> type_named(std::string_view name) {
  for (size_t i = 1; i < kTypes.size(); ++i) {
    if (kTypes[i] == name) return static_cast<Type>(i);
  }
  return std::nullopt;
}

std::optional<std::pair<Group, uint8_t>> modifier_named(std::string_view name, uint64_t allowed) {
  for (size_t group = 0; group < kGroups; ++group) {
    if ((allowed >> group & 1) == 0) continue;
    if (const uint8_t place = place_in(kNames[group], name)) {
      return std::pair(static_cast<Group>(group), place);
    }
  }
  return std::nullopt;
}

std::string_view names_of(Group group) { return kNames[static_cast<size_t>(group)]; }
std::string_view name_of(Type type) { return kTypes[static_cast<size_t>(type)]; }

int bits_of(Type type) {
  static constexpr std::array<uint8_t, kTypes.size()> kBits = {
      0, 8, 16, 32, 64, 8, 16, 32, 64, 8, 16, 32, 64, 16, 32, 16, 32, 32, 32, 64, 1, 32, 32};
  return kBits[static_cast<size_t>(type)];
}
bool is_signed(Type type) { return type >= s8 && type <= s64; }
bool is_integer(Type type) { return type >= b8 && type <= s64; }
bool is_float(Type type) { return type == f16 || type == bf16 || type == f32 || type == f64; }
bool is_half(Type type) { return type >= f16 && type <= bf16x2; }
bool is_integer_pair(Type type) { return type == u16x2 || type == s16x2; }
bool is_pair(Type type) { return type == f16x2 || type == bf16x2; }

}  // namespace gatefold::ptx
