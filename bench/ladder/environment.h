#pragma once

namespace gatefold {

// build_library() tells an emitter what describes a kernel; what the ladder adds comes by
// environment.

/// Name of the schedule: LadderStep::schedule.
inline constexpr const char* kScheduleVariable = "GATEFOLD_LADDER_SCHEDULE";
/// How many threads the kernel will run on.
inline constexpr const char* kThreadsVariable = "GATEFOLD_LADDER_THREADS";
/// The file for the loop nest.
inline constexpr const char* kNestVariable = "GATEFOLD_LADDER_NEST";

}  // namespace gatefold
