#pragma once

#include "spec/ffn_spec.h"

/// What the schedules of NEON and the model of their cost know of x in registers. A multiply-add
/// takes its factor from any lane of one, so a vector of x serves as many of them as it has lanes.
namespace gatefold::neon {

/// Lanes of the vectors that hold the rows of a tile for one k, packed by tiles; 1: none do.
int lanes_of_rows(const KernelSpec& k);

/// Lanes of the vectors that hold one iteration's words of each row, where rows stand apart; 1:
/// none do. They are held for the whole iteration, so tall tiles have no registers for them.
int lanes_of_words(const KernelSpec& k);

}  // namespace gatefold::neon
