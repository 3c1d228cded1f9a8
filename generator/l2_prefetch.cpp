#include "generator/l2_prefetch.h"

#include <fstream>
#include <iterator>
#include <string>

#include "generator/process.h"
#include "generator/text_file.h"
#include "spec/error.h"

namespace gatefold {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string with_l2_prefetch(std::string text) {
  const std::string past = "prefetchnta", into = "prefetcht1";
  for (size_t at = text.find(past); at != std::string::npos; at = text.find(past, at)) {
    text.replace(at, past.size(), into);
  }
  return text;
}

std::string assembler() {
  const std::string path = find_program(c_compiler());
  if (path.empty()) {
    fail("'" + c_compiler() +
         "' is not on the PATH; it assembles kernels with pl=2 (Debian: " + "apt-get install gcc)");
  }
  return path;
}

void assemble(const std::filesystem::path& assembly, const std::filesystem::path& object) {
  const std::vector<std::string> command = {
      assembler(), "-c", "-x", "assembler", "-o", object.string(), assembly.string()};
  run_processes({command}, 1, {}, [&](size_t, const ProcessResult& result) {
    if (!result.ok()) fail("'" + command[0] + "', the assembler, " + how_it_ended(result, 0));
    return true;
  });
}

}  // namespace

void compile_with_l2_prefetch(const Halide::Module& module, const std::filesystem::path& object,
                              const std::filesystem::path& assembly) {
  const bool kept = !assembly.empty();
  const std::filesystem::path text = kept ? assembly.string() : object.string() + ".s";
  module.compile({{Halide::OutputFileType::assembly, text.string()}});
  write_text(text, with_l2_prefetch(text_of(text)));
  assemble(text, object);
  if (!kept) std::filesystem::remove(text);
}

}  // namespace gatefold
