#pragma once

#include <cstddef>
#include <string>

namespace gatefold {

/// What a machine that has just received a worker says, in a line, before the worker does.
inline constexpr const char* kArrived = "gatefold-worker has arrived";

/// `command`, which runs a command of a shell that is its last word (`ssh HOST`), with such a word:
/// it takes a program of so many bytes from its stdin, says kArrived, runs it with the rest of the
/// stdin, and removes it. Shell text.
std::string shipping_command(const std::string& command, size_t bytes);

}  // namespace gatefold
