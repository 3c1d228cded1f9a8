#include <fmt/format.h>

#include <charconv>

#include "tests/ptx/declarations.h"
#include "tests/ptx/instruction_parser.h"
#include "tests/ptx/interpreter.h"

namespace gatefold::ptx {
namespace {

class KernelParser {
 public:
  KernelParser(TokenReader& reader, const ModuleNames& module)
      : reader_(reader), names_(kernel_, module) {}

  Kernel parse() {
    const Token name = reader_.word("a kernel's name");
    kernel_.name = name.text;
    kernel_.line = name.line;
    parse_parameters(reader_, kernel_);
    parse_limits();
    parse_body();
    names_.finish();
    labels_.resolve(kernel_.code, reader_);
    return std::move(kernel_);
  }

 private:
  void parse_limits() {
    while (reader_.sees_directive()) {
      const Token directive = reader_.next();
      if (directive.is(".maxntid")) {
        kernel_.most_threads = parse_extents(reader_);
      } else if (directive.is(".reqntid")) {
        kernel_.required_threads = parse_extents(reader_);
      } else if (directive.is(".minnctapersm") || directive.is(".maxnreg")) {
        reader_.count("a number");
      } else if (directive.is(".pragma")) {
        reader_.skip_through(";");
      } else {
        reader_.refuse(directive, "a directive of a kernel that is known");
      }
    }
  }

  void open() {
    reader_.expect("{");
    ++depth_;
    names_.open_scope();
    labels_.open_scope();
  }
  void close() {
    reader_.expect("}");
    --depth_;
    names_.close_scope();
    labels_.close_scope();
  }

  void parse_body() {
    open();
    while (depth_ > 0) {
      if (reader_.peek().is("{")) {
        open();
      } else if (reader_.peek().is("}")) {
        close();
      } else if (reader_.sees_directive()) {
        parse_directive(reader_.next());
      } else if (reader_.peek(1).is(":")) {
        labels_.define(reader_.word("a label"), kernel_.code.size(), reader_);
        reader_.expect(":");
      } else if (!reader_.accept(";")) {
        kernel_.code.push_back(
            InstructionParser(reader_, names_, labels_).parse(kernel_.code.size()));
      }
    }
  }

  void parse_directive(const Token& directive) {
    if (directive.is(".reg")) {
      parse_registers(reader_, names_);
    } else if (directive.is(".shared")) {
      if (!names_.declare_shared(parse_shared(reader_, false))) {
        reader_.refuse(directive.line, "a shared variable of that name is there already");
      }
    } else if (directive.is(".local")) {
      parse_local(reader_, names_);
    } else if (directive.is(".pragma")) {
      reader_.skip_through(";");
    } else {
      reader_.refuse(directive, "a directive of a kernel's body that is known");
    }
  }

  TokenReader& reader_;
  Kernel kernel_;
  Names names_;
  Labels labels_;
  int depth_ = 0;
};

class ModuleParser {
 public:
  explicit ModuleParser(Module& module) : module_(module), reader_(module.text) {}

  void parse() {
    while (!reader_.at_end()) parse_statement(reader_.next());
    if (module_.isa_major == 0 || module_.capability == 0) {
      reader_.refuse(1, "the module wants .version and .target");
    }
  }

 private:
  void parse_statement(const Token& token) {
    if (token.is(".version")) {
      parse_version();
    } else if (token.is(".target")) {
      parse_target();
    } else if (token.is(".address_size")) {
      const Token size = reader_.peek();
      if (reader_.count("64") != 64) reader_.refuse(size, "64");
    } else if (token.is(".visible") || token.is(".weak") || token.is(".extern")) {
      parse_linked(token);
    } else if (token.is(".pragma")) {
      reader_.skip_through(";");
    } else {
      parse_definition(token, false);
    }
  }

  void parse_linked(const Token& linkage) {
    parse_definition(reader_.word("what is linked"), linkage.is(".extern"));
  }

  void parse_definition(const Token& token, bool is_extern) {
    if (token.is(".shared")) {
      const SharedVariable variable = parse_shared(reader_, is_extern);
      names_.shared.emplace(variable.name, variable);
    } else if (token.is(".entry") && !is_extern) {
      module_.kernels.push_back(KernelParser(reader_, names_).parse());
    } else if ((token.is(".global") || token.is(".const")) && !is_extern) {
      parse_variable(reader_, module_.variables, names_);
    } else {
      reader_.refuse(token, "a directive of a module that is known");
    }
  }

  int parse_digits(std::string_view digits, const Token& token) {
    int value = 0;
    const auto end = digits.data() + digits.size();
    const auto result = std::from_chars(digits.data(), end, value);
    if (result.ec != std::errc() || result.ptr != end) reader_.refuse(token, "a number");
    return value;
  }

  void parse_version() {
    const Token version = reader_.word("a version");
    const size_t dot = version.text.find('.');
    if (dot == std::string_view::npos) reader_.refuse(version, "a version like 7.8");
    module_.isa_major = parse_digits(version.text.substr(0, dot), version);
    module_.isa_minor = parse_digits(version.text.substr(dot + 1), version);
  }

  void parse_target() {
    const Token target = reader_.word("a target");
    std::string_view digits = target.text;
    if (!digits.starts_with("sm_")) reader_.refuse(target, "sm_NN");
    digits.remove_prefix(3);
    if (digits.ends_with('a')) digits.remove_suffix(1);
    module_.capability = parse_digits(digits, target);
    if (reader_.accept(",")) reader_.refuse(reader_.peek(), "no option of the target");
  }

  Module& module_;
  TokenReader reader_;
  ModuleNames names_;
};

}  // namespace

Module parse(std::string text) {
  Module module;
  module.text = std::move(text);
  ModuleParser(module).parse();
  module.lines.push_back(0);
  for (size_t at = 0; at < module.text.size(); ++at) {
    if (module.text[at] == '\n') module.lines.push_back(at + 1);
  }
  return module;
}

std::string_view Module::line(int number) const {
  const size_t begin = lines.at(static_cast<size_t>(number) - 1);
  return line_of(std::string_view(text).substr(begin), 1);
}

const Kernel& Module::kernel(std::string_view name) const {
  std::string names;
  for (const Kernel& kernel : kernels) {
    if (kernel.name == name) return kernel;
    names += (names.empty() ? "" : ", ") + kernel.name;
  }
  fail(fmt::format("the module has no kernel '{}', wanted one of: {}", name, names));
}

}  // namespace gatefold::ptx
