#pragma once

namespace gatefold::cli {

// Flags that several commands share, with the runtime's rule for what they leave open.
inline constexpr const char* kIsaHelp =
    "target to use, or cuda for the best that the GPU runs (default: GATEFOLD_ISA, else host, the "
    "best that this CPU runs)";
inline constexpr const char* kThreadsHelp =
    "default: GATEFOLD_THREADS, else all that this process may use";

}  // namespace gatefold::cli
