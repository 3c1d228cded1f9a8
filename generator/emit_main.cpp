#include "generator/emit.h"
#include "generator/emit_command.h"

/// Compiles one kernel. A process of its own, since LLVM may abort, hang or take all memory.
int main(int argc, char** argv) {
  return gatefold::emit_command(
      argc, argv, [](const auto& kernel, const auto& symbol, const auto& object, const auto& asm_) {
        gatefold::emit_kernel(kernel, symbol, object, asm_);
      });
}
