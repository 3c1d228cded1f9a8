#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/ptx/module.h"

namespace gatefold::ptx {

/// What the module declares outside its kernels.
struct ModuleNames {
  std::map<std::string, SharedVariable, std::less<>> shared;
  std::map<std::string, uint64_t, std::less<>> variables;  ///< .global and .const: the address
};

/// The names of a kernel while it is parsed: each that an instruction uses gets a slot.
class Names {
 public:
  Names(Kernel& kernel, const ModuleNames& module) : kernel_(kernel), module_(module) {}

  void open_scope() { scopes_.emplace_back(); }
  void close_scope() { scopes_.pop_back(); }

  /// `count` registers prefix0, prefix1 …; without a count the one of that name. False if it is
  /// there already.
  bool declare_registers(std::string_view name, std::optional<uint32_t> count);
  bool declare_shared(SharedVariable variable);
  bool declare_local(const std::string& name, uint32_t alignment, uint32_t bytes);

  std::optional<uint32_t> register_slot(std::string_view name) const;
  uint32_t constant(uint64_t value);
  std::optional<uint32_t> special_slot(std::string_view name);
  /// The address of a shared variable, a parameter or a variable of the module, plus `addend`.
  std::optional<uint32_t> address_slot(std::string_view name, int64_t addend);

  /// Places the dynamic shared memory behind everything else.
  void finish();

 private:
  struct Family {
    uint32_t first, count;
  };
  struct Scope {
    std::map<std::string, uint32_t, std::less<>> single;
    std::map<std::string, Family, std::less<>> numbered;
  };

  std::optional<uint32_t> numbered_slot(const Scope& scope, std::string_view name) const;
  const SharedVariable* declared_shared(std::string_view name) const;
  uint32_t shared_slot(const SharedVariable& variable, int64_t addend);
  uint32_t place(const SharedVariable& variable);

  Kernel& kernel_;
  const ModuleNames& module_;
  std::vector<Scope> scopes_;
  std::map<std::string, SharedVariable, std::less<>> shared_;
  std::map<std::string, uint32_t, std::less<>> local_;  ///< offsets
  std::map<uint64_t, uint32_t> constants_;
  std::map<Special, uint32_t> specials_;
  std::vector<std::pair<uint32_t, int64_t>> dynamic_;  ///< slots that hold its address + addend
  uint32_t dynamic_alignment_ = 16, shared_end_ = 0;
};

}  // namespace gatefold::ptx
