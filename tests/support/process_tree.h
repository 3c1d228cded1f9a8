#pragma once

#include <string>

namespace gatefold::test {

/// Makes this process the one that gets every process below it that loses its parent, so that
/// nothing can stay unseen.
void take_in_orphans();

/// Waits until this process has no child, reaping what there is; false if one is still there after
/// `seconds`, which is then killed.
bool no_child_left(double seconds);

/// How many processes of the machine have this text in their command line, this one left out.
int processes_with(const std::string& text);

/// The same, once it is none or `seconds` are over.
int processes_left_with(const std::string& text, double seconds);

}  // namespace gatefold::test
