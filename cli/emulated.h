#pragma once

namespace gatefold::cli {

inline constexpr const char* kEmulatedHelp =
    "also run kernels whose instructions this CPU lacks; for use under an emulator";

/// What --emulated does: the targets that an emulator in this process names count as usable.
/// Without one their kernels would end the process, so that is ErrorKind::unavailable.
void accept_emulated_targets();

}  // namespace gatefold::cli
