#pragma once

namespace gatefold {

/// ErrorKind::unavailable in the runtime's words if GATEFOLD_ISA names no target, as whatever runs
/// a block has it: for what asks for each target by itself.
void check_isa_in_environment();

}  // namespace gatefold
