#pragma once

#include <sys/types.h>

#include <functional>

namespace gatefold {

/// A child with a guardian between it and this process. The guardian ends as the child does, once
/// nothing is left of what the child started, groups and sessions of their own included; and ends
/// all of it when it is sent SIGTERM, or when the thread that started it ends, however it ends. So
/// a program that is killed leaves nothing running.
struct GuardedChild {
  pid_t guardian = -1;  ///< to be waited for; its status is the child's
  pid_t child = -1;     ///< its process group is its own
};

/// `become` runs in the child and ends in an exec or _exit; only what is safe after a fork of a
/// program with threads. Descriptors without close-on-exec stay open in the child. On failure both
/// are -1 and errno says why.
GuardedChild start_guarded(const std::function<void()>& become);

/// Has the guardian end everything, and waits for it. The status is waitpid's.
int end_guarded(const GuardedChild& guarded);

/// Makes this process the guardian of a copy of itself: in the copy it returns -1, here the wait
/// status of the copy, once nothing is left of what that started. If `watched` is the writing end
/// of a pipe or socket and nobody reads it any more, that ends the copy. For a program without
/// threads.
int guard_rest_of_program(int watched);

/// Ends this process as a wait status says.
[[noreturn]] void end_as(int status);

}  // namespace gatefold
