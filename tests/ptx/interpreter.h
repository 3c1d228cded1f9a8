#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "spec/error.h"
#include "tests/ptx/memory.h"
#include "tests/ptx/module.h"

namespace gatefold::ptx {

/// Reads the text of a module. What it doesn't know (a directive, an instruction, a modifier) is an
/// Error that names the line and its text: nothing is skipped in silence.
Module parse(std::string text);

struct Launch {
  std::array<uint32_t, 3> grid = {1, 1, 1}, block = {1, 1, 1};
  uint32_t shared_bytes = 0;                       ///< dynamic ones
  std::vector<std::vector<std::byte>> parameters;  ///< the raw bytes of each

  /// A warp that executes more than this is taken for one that never ends.
  uint64_t most_instructions = 10'000'000;

  template <typename T>
  Launch& parameter(const T& value) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    parameters.emplace_back(bytes, bytes + sizeof value);
    return *this;
  }
};

/// What a kernel did that hardware leaves undefined or would stop at.
class Fault : public Error {
 public:
  Fault(const std::string& message, int line, std::array<uint32_t, 3> block,
        std::array<uint32_t, 3> thread, std::string what)
      : Error(ErrorKind::failed, message),
        line(line),
        block(block),
        thread(thread),
        reason(std::move(what)) {}

  const int line;  ///< of the instruction in the module's text
  const std::array<uint32_t, 3> block, thread;
  const std::string reason;  ///< the message without the place
};

/// What was executed, in instructions of a warp.
struct Summary {
  uint64_t instructions = 0, matrix_products = 0, async_copies = 0;
  /// Copies that no thread waited for before it ended: allowed, but seldom meant.
  uint64_t copies_left_pending = 0;
};

/// Runs every block of the grid, one after the other. Throws Fault; an Error if the launch itself
/// doesn't fit the kernel.
Summary run(const Module& module, const std::string& entry, const Launch& launch, Memory& memory);

}  // namespace gatefold::ptx
