#pragma once

#include <string>

namespace gatefold::test {

/// The root of the repository: for files that a test reads.
std::string source_dir();

/// The build folder: the programs (`gatefold`, `gatefold-emit`, `gatefold-worker`) stand at its
/// top.
std::string binary_dir();

/// A Python interpreter that has NumPy.
std::string python_with_numpy();

/// ptxas, or empty if the build found none.
std::string ptxas();

}  // namespace gatefold::test
