#pragma once

namespace gatefold::emulation {

/// One core serves all threads of the process, in order of arrival. A thread that has had its slice
/// of instructions lets the next one go, so that threads which wait for each other by spinning get
/// on.
void take_turn();
void give_turn();

/// Counts one instruction; true when the slice is used up and another thread waits.
bool turn_is_over();

}  // namespace gatefold::emulation
