#include "tests/ptx/declarations.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "tests/ptx/instruction_table.h"

namespace gatefold::ptx {
namespace {

// More is certainly a mistake, and a size that would overflow.
constexpr uint32_t kMostElements = 1u << 24;

Type parse_type(TokenReader& reader) {
  const Token token = reader.word("a type");
  const auto type = token.text.starts_with('.') ? type_named(token.text.substr(1)) : std::nullopt;
  if (!type) reader.refuse(token, "a type");
  return *type;
}

uint32_t parse_alignment(TokenReader& reader) {
  const Token token = reader.peek();
  const uint32_t alignment = reader.count("an alignment");
  if (!std::has_single_bit(alignment) || alignment > 4096) reader.refuse(token, "a power of two");
  return alignment;
}

uint32_t parse_extent(TokenReader& reader, uint64_t so_far) {
  const Token token = reader.peek();
  const uint64_t elements = so_far * reader.count("a number of elements");
  if (elements == 0 || elements > kMostElements) reader.refuse(token, "1 to 2^24 elements");
  return static_cast<uint32_t>(elements);
}

uint64_t element_of(const Literal& literal, Type type) {
  if (literal.kind == Literal::Kind::f64 && type == Type::f32) {
    return std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(literal.bits)));
  }
  return literal.bits;
}

void parse_values(TokenReader& reader, const Declaration& variable, std::byte* bytes) {
  const size_t width = static_cast<size_t>(bits_of(variable.type)) / 8;
  const bool list = reader.accept("{");
  uint32_t element = 0;
  do {
    const Token token = reader.peek();
    const uint64_t value = element_of(reader.literal("a number"), variable.type);
    if (element == variable.elements) reader.refuse(token, "no more values than elements");
    std::memcpy(bytes + width * element++, &value, width);
  } while (list && reader.accept(","));
  if (list) reader.expect("}");
}

}  // namespace

Declaration parse_declaration(TokenReader& reader) {
  Declaration found;
  bool aligned = false;
  if (reader.accept(".align")) {
    aligned = true;
    found.alignment = parse_alignment(reader);
  }
  found.type = parse_type(reader);
  if (bits_of(found.type) < 8) reader.refuse(reader.peek(), "a type that memory holds");
  if (!aligned) found.alignment = static_cast<uint32_t>(bits_of(found.type)) / 8;
  // `.ptr .global .align 16`: what a parameter points to.
  if (reader.accept(".ptr")) {
    for (const auto space : {".global", ".shared", ".const", ".local"}) reader.accept(space);
    if (reader.accept(".align")) parse_alignment(reader);
  }
  found.name = reader.word("a name");
  while (reader.accept("[")) {
    if (reader.accept("]")) {
      found.open = true;
      break;
    }
    found.elements = parse_extent(reader, found.elements);
    reader.expect("]");
  }
  return found;
}

SharedVariable parse_shared(TokenReader& reader, bool is_extern) {
  const Declaration found = parse_declaration(reader);
  if (found.open != is_extern) {
    reader.refuse(found.name.line, "shared memory is .extern and open, or neither");
  }
  reader.expect(";");
  SharedVariable variable;
  variable.name = found.name.text;
  variable.alignment = found.alignment;
  variable.dynamic = found.open;
  variable.bytes = found.open ? 0 : found.bytes();
  return variable;
}

void parse_local(TokenReader& reader, Names& names) {
  const Declaration found = parse_declaration(reader);
  if (found.open) reader.refuse(found.name.line, "the variable wants a size");
  reader.expect(";");
  if (!names.declare_local(std::string(found.name.text), found.alignment, found.bytes())) {
    reader.refuse(found.name, "a name that is not taken");
  }
}

void parse_variable(TokenReader& reader, std::vector<std::byte>& image, ModuleNames& names) {
  const Declaration found = parse_declaration(reader);
  if (found.open) reader.refuse(found.name.line, "the variable wants a size");
  const size_t offset = (image.size() + found.alignment - 1) / found.alignment * found.alignment;
  image.resize(offset + found.bytes());
  if (!names.variables.emplace(found.name.text, kModuleVariables + offset).second) {
    reader.refuse(found.name, "a name that is not taken");
  }
  if (reader.accept("=")) parse_values(reader, found, image.data() + offset);
  reader.expect(";");
}

void parse_parameters(TokenReader& reader, Kernel& kernel) {
  if (!reader.accept("(")) return;
  if (reader.accept(")")) return;
  do {
    reader.expect(".param");
    const Declaration found = parse_declaration(reader);
    if (found.open) reader.refuse(found.name.line, "the parameter wants a size");
    const uint32_t alignment = found.alignment;
    const uint32_t offset = (kernel.parameter_bytes + alignment - 1) / alignment * alignment;
    kernel.parameters.push_back({std::string(found.name.text), offset, found.bytes()});
    kernel.parameter_bytes = offset + found.bytes();
  } while (reader.accept(","));
  reader.expect(")");
}

void parse_registers(TokenReader& reader, Names& names) {
  parse_type(reader);
  do {
    const Token name = reader.word("a register's name");
    std::optional<uint32_t> count;
    if (reader.accept("<")) {
      count = parse_extent(reader, 1);
      reader.expect(">");
    }
    if (!names.declare_registers(name.text, count)) {
      reader.refuse(name, "a name that is not taken");
    }
  } while (reader.accept(","));
  reader.expect(";");
}

std::array<uint32_t, 3> parse_extents(TokenReader& reader) {
  std::array<uint32_t, 3> extents = {1, 1, 1};
  size_t given = 0;
  do {
    const Token token = reader.peek();
    const uint32_t extent = reader.count("a number of threads");
    if (given == 3 || extent == 0 || extent > 1024) reader.refuse(token, "1 to 3 extents to 1024");
    extents[given++] = extent;
  } while (reader.accept(","));
  return extents;
}

}  // namespace gatefold::ptx
