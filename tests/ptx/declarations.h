#pragma once

#include <cstddef>
#include <vector>

#include "tests/ptx/module.h"
#include "tests/ptx/names.h"
#include "tests/ptx/token_reader.h"

namespace gatefold::ptx {

/// `.align 16 .b8 name[64]`, as it stands after `.shared`, `.global` and the like.
struct Declaration {
  Token name;
  Type type = Type::b8;
  uint32_t alignment = 1, elements = 1;
  bool open = false;  ///< name[]

  uint32_t bytes() const { return elements * static_cast<uint32_t>(bits_of(type)) / 8; }
};

Declaration parse_declaration(TokenReader& reader);

/// After `.shared`, through the semicolon.
SharedVariable parse_shared(TokenReader& reader, bool is_extern);

/// After `.local`, through the semicolon.
void parse_local(TokenReader& reader, Names& names);

/// After `.global` or `.const`, through the semicolon: its bytes are added to `image`.
void parse_variable(TokenReader& reader, std::vector<std::byte>& image, ModuleNames& names);

/// `(.param .u64 a, .param .align 8 .b8 b[24])`.
void parse_parameters(TokenReader& reader, Kernel& kernel);

/// After `.reg`, through the semicolon.
void parse_registers(TokenReader& reader, Names& names);

/// `16, 1, 1` after `.maxntid` and its like; what isn't written is 1.
std::array<uint32_t, 3> parse_extents(TokenReader& reader);

}  // namespace gatefold::ptx
