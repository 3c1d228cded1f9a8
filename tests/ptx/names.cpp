#include "tests/ptx/names.h"

#include <algorithm>
#include <charconv>

namespace gatefold::ptx {
namespace {

// In the order of Special.
constexpr std::string_view kSpecials[] = {
    "%tid.x",       "%tid.y",       "%tid.z",       "%ntid.x",      "%ntid.y",
    "%ntid.z",      "%ctaid.x",     "%ctaid.y",     "%ctaid.z",     "%nctaid.x",
    "%nctaid.y",    "%nctaid.z",    "%laneid",      "%warpid",      "%nwarpid",
    "%lanemask_eq", "%lanemask_lt", "%lanemask_le", "%lanemask_gt", "%lanemask_ge"};

// Between two variables: what runs past one must not land in the next.
constexpr uint32_t kGap = 64;

}  // namespace

bool Names::declare_registers(std::string_view name, std::optional<uint32_t> count) {
  Scope& scope = scopes_.back();
  const uint32_t first = kernel_.slots;
  kernel_.slots += count.value_or(1);
  if (count) return scope.numbered.emplace(name, Family{first, *count}).second;
  return scope.single.emplace(name, first).second;
}

std::optional<uint32_t> Names::numbered_slot(const Scope& scope, std::string_view name) const {
  // A prefix may itself end in digits: every way to part the name is tried.
  for (size_t cut = name.size() - 1; cut > 0 && name[cut] >= '0' && name[cut] <= '9'; --cut) {
    if (name[cut] == '0' && cut + 1 < name.size()) continue;  // %r01 is not %r1
    const auto family = scope.numbered.find(name.substr(0, cut));
    if (family == scope.numbered.end()) continue;
    uint32_t number = 0;
    const auto end = name.data() + name.size();
    if (std::from_chars(name.data() + cut, end, number).ec == std::errc() &&
        number < family->second.count) {
      return family->second.first + number;
    }
  }
  return std::nullopt;
}

std::optional<uint32_t> Names::register_slot(std::string_view name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto single = scope->single.find(name);
    if (single != scope->single.end()) return single->second;
    if (const auto slot = numbered_slot(*scope, name)) return slot;
  }
  return std::nullopt;
}

uint32_t Names::constant(uint64_t value) {
  const auto [entry, is_new] = constants_.emplace(value, kernel_.slots);
  if (is_new) kernel_.constants.emplace_back(kernel_.slots++, value);
  return entry->second;
}

std::optional<uint32_t> Names::special_slot(std::string_view name) {
  const auto found = std::find(std::begin(kSpecials), std::end(kSpecials), name);
  if (found == std::end(kSpecials)) return std::nullopt;
  const auto special = static_cast<Special>(found - std::begin(kSpecials));
  const auto [entry, is_new] = specials_.emplace(special, kernel_.slots);
  if (is_new) kernel_.specials.emplace_back(kernel_.slots++, special);
  return entry->second;
}

bool Names::declare_shared(SharedVariable variable) {
  const std::string name = variable.name;
  return shared_.emplace(name, std::move(variable)).second;
}

bool Names::declare_local(const std::string& name, uint32_t alignment, uint32_t bytes) {
  const uint32_t offset = (kernel_.local_bytes + alignment - 1) / alignment * alignment;
  kernel_.local_bytes = offset + bytes;
  return local_.emplace(name, offset).second;
}

const SharedVariable* Names::declared_shared(std::string_view name) const {
  const auto own = shared_.find(name);
  if (own != shared_.end()) return &own->second;
  const auto common = module_.shared.find(name);
  return common == module_.shared.end() ? nullptr : &common->second;
}

std::optional<uint32_t> Names::address_slot(std::string_view name, int64_t addend) {
  if (const SharedVariable* variable = declared_shared(name)) {
    return shared_slot(*variable, addend);
  }
  for (const Parameter& parameter : kernel_.parameters) {
    if (parameter.name == name) return constant(parameter.offset + static_cast<uint64_t>(addend));
  }
  const auto own = local_.find(name);
  if (own != local_.end()) return constant(own->second + static_cast<uint64_t>(addend));
  const auto variable = module_.variables.find(name);
  if (variable == module_.variables.end()) return std::nullopt;
  return constant(variable->second + static_cast<uint64_t>(addend));
}

uint32_t Names::shared_slot(const SharedVariable& variable, int64_t addend) {
  if (!variable.dynamic) {
    return constant(uint64_t{place(variable)} + static_cast<uint64_t>(addend));
  }
  dynamic_alignment_ = std::max(dynamic_alignment_, variable.alignment);
  dynamic_.emplace_back(kernel_.slots, addend);
  return kernel_.slots++;
}

namespace {
/// A multiple of the alignment, but of no more: who trusts in more than was declared is found out.
uint32_t just_aligned(uint32_t from, uint32_t alignment) {
  return (from + alignment - 1) / (2 * alignment) * (2 * alignment) + alignment;
}
}  // namespace

uint32_t Names::place(const SharedVariable& variable) {
  for (const SharedVariable& placed : kernel_.shared) {
    if (placed.name == variable.name) return placed.offset;
  }
  SharedVariable& placed = kernel_.shared.emplace_back(variable);
  placed.offset = just_aligned(shared_end_, variable.alignment);
  shared_end_ = placed.offset + variable.bytes + kGap;
  return placed.offset;
}

void Names::finish() {
  if (dynamic_.empty()) return;
  SharedVariable& placed = kernel_.shared.emplace_back();
  placed.name = "dynamic shared memory";
  placed.dynamic = true;
  placed.alignment = dynamic_alignment_;
  placed.offset = just_aligned(shared_end_, dynamic_alignment_);
  for (const auto& [slot, addend] : dynamic_) {
    kernel_.constants.emplace_back(slot, placed.offset + static_cast<uint64_t>(addend));
  }
}

}  // namespace gatefold::ptx
