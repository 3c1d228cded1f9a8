#pragma once

#include "bench/contender.h"
#include "bench/peer_entries.h"

namespace gatefold {

/// A competitor that runs in a process of its own and times its calls itself. One JSON object a
/// line goes each way (docs/peers.md):
///   {"do": "load", …}  -> {"uses": TEXT} | {"declined": REASON} | {"error": REASON}
///   {"do": "copy"}     -> {"weight_bytes": N}
///   {"do": "run", "rows": R, "before": I, "copy": J} -> {"ms": T, "switches": N}
/// Between its calls the process is stopped, so that threads that spin after a call take no time
/// from the others.
ContenderInfo peer_contender(const PeerEntry& entry);

}  // namespace gatefold
