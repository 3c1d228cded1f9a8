#pragma once

namespace gatefold::test {

/// From now on launches of the fake driver run their PTX in the interpreter, on its memory; what
/// the interpreter finds wrong is a complaint.
void interpret_launches();

}  // namespace gatefold::test
