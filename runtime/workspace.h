#pragma once

#include <cstddef>
#include <cstdint>

namespace gatefold {

// The process's one pool of kernel memory. Blocks that kernels give back are kept for the next
// call, whichever block or thread makes it: memory grows with the calls that run at once, not with
// the threads that ever called. What was once in use at once is kept, so that the same calls
// allocate nothing when they are made again.

/// What a request for so many bytes takes: rounded up to a quarter of a power of two, so that calls
/// of similar size share blocks. Devices' workspaces round alike.
size_t workspace_block(size_t bytes);

/// 128-byte aligned; nullptr when there is no memory.
void* workspace_allocate(size_t bytes);
void workspace_release(void* memory);  ///< nullptr is allowed

/// Bytes of the block that workspace_allocate gave.
size_t workspace_size(const void* memory);

struct WorkspaceStats {
  size_t cached_bytes;          ///< kept, not in use
  size_t limit_bytes;           ///< of those: 32 MiB, or twice what was in use at once
  uint64_t system_allocations;  ///< blocks taken from the system since the start
};
WorkspaceStats workspace_stats();

// fork() must not happen in the middle of a change.
void lock_workspace();
void unlock_workspace();

}  // namespace gatefold
