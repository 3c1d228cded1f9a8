#include "tests/neon/instructions/arm_product.h"

#include <regex>

#include "generator/process.h"
#include "tests/formats/files.h"
#include "tests/support/paths.h"

namespace gatefold::test {
namespace {

/// Without what Halide puts beside it: its calls by argument list and by name.
std::string function_in(const std::string& assembly) {
  const size_t begin = assembly.find("\nproduct:");
  return assembly.substr(begin, assembly.find("\n.Lfunc_end", begin) - begin);
}

void must_run(std::vector<std::string> argv) {
  argv.insert(argv.begin(), "/usr/bin/env");
  run_processes({argv}, 1, {.timeout_s = 120}, [&](size_t, const ProcessResult& r) {
    if (!r.ok()) {
      ADD_FAILURE() << argv[1] << ": exit " << r.exit_code << " signal " << r.signal << "\n"
                    << r.errors;
    }
    return true;
  });
}

}  // namespace

void ArmProduct::emit(const std::map<Halide::OutputFileType, std::string>& files) const {
  const Halide::Target full("arm-64-linux-no_asserts-no_bounds_query-no_runtime-" + target);
  Halide::Pipeline(y).compile_to(files, {x, w}, "product", full);
}

std::string ArmProduct::assembly() const {
  const TempFolder folder;
  emit({{Halide::OutputFileType::assembly, folder / "product.s"}});
  return function_in(content(folder / "product.s"));
}

ArmProduct::Run ArmProduct::run(const std::string& cpu, const Bytes& x_bytes, const Bytes& w_bytes,
                                size_t y_bytes) const {
  const TempFolder folder;
  const auto text = [](const Bytes& b) {
    return std::string_view(reinterpret_cast<const char*>(b.data()), b.size());
  };
  const std::string assembly = folder / "product.s", object = folder / "product.o";
  const std::string program = folder / "product", in = folder.file("x", text(x_bytes));
  const std::string weights = folder.file("w", text(w_bytes)), out = folder / "y";
  emit({{Halide::OutputFileType::assembly, assembly}, {Halide::OutputFileType::object, object}});
  must_run({"aarch64-linux-gnu-gcc", "-O1", "-static", "-I" + binary_dir() + "/halide_runtime",
            source_dir() + "/tests/neon/instructions/call_product.c", object, "-o", program});
  must_run({"qemu-aarch64", "-cpu", cpu, program, in, weights, out, std::to_string(y_bytes)});
  const std::string y_text = content(out);
  return {function_in(content(assembly)), Bytes(y_text.begin(), y_text.end())};
}

int instructions(const std::string& assembly, const std::string& mnemonic) {
  const std::regex line("(^|\n)\\s+" + mnemonic + "\\s");
  return static_cast<int>(
      std::distance(std::sregex_iterator(assembly.begin(), assembly.end(), line), {}));
}

}  // namespace gatefold::test
