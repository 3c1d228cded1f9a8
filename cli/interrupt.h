#pragma once

#include <atomic>
#include <exception>

namespace gatefold::cli {

/// Thrown out of a command that was interrupted; the process exits with kExitInterrupted.
struct Interrupted : std::exception {
  const char* what() const noexcept override { return "interrupted"; }
};

inline constexpr int kExitInterrupted = 130;  ///< 128 + SIGINT, as shells report it

/// The first Ctrl-C (or SIGTERM) only asks: commands look at interrupted() between pieces of work
/// and keep what is finished. The second one ends the process. Reaching the file-size limit fails
/// the write instead of ending this process and its children.
void set_up_signals();
bool interrupted();
const std::atomic<bool>& interrupt_flag();
void throw_if_interrupted();

}  // namespace gatefold::cli
