#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "tests/ptx/instruction.h"

namespace gatefold::ptx {

/// One kind of instruction: what may and what must be written.
struct Form {
  std::string_view name;  ///< up to what the groups and types below describe
  Op op;
  uint8_t type_count;
  uint32_t types = 0;  ///< bit of each Type that may stand there
  /// One letter for an operand: d destination, D destination or {vector}, p %d or %d|%e, s source,
  /// S source or {vector}, n source, also with '!', m [address], l label. Those after '?' may lack.
  std::string_view operands;
  uint64_t allowed = 0, required = 0;  ///< bits of the groups; what is required is allowed
};

/// The form of `words` ("mul", "wide", "u16") and how many of the words its name is.
const Form* find_form(std::string_view dotted, size_t& name_length);

std::optional<Type> type_named(std::string_view name);

/// The group (of those allowed) and the enumerator that a modifier's name means.
std::optional<std::pair<Group, uint8_t>> modifier_named(std::string_view name, uint64_t allowed);

std::string_view names_of(Group group);

}  // namespace gatefold::ptx
