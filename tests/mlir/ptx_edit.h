#pragma once

#include <string>

#include "generator/mlir/tensor_core.h"

namespace gatefold::test {

/// Seeds faults into the text of one entry of a module. `pattern` is a regular expression; match
/// number `which` is replaced. The text is unchanged if there is none.
std::string edit(const std::string& ptx, const std::string& entry, const std::string& pattern,
                 const std::string& by, int which = 0);
int count(const std::string& ptx, const std::string& entry, const std::string& pattern);

/// The register that an entry loads a parameter into; empty if it does not.
std::string register_of(const std::string& ptx, const std::string& entry, const std::string& name,
                        const TensorCoreKernel& kernel);

/// Turns each comparison of a number with the register `limit` into one that lets the limit itself
/// through too.
std::string one_more(const std::string& ptx, const std::string& entry, const std::string& limit);

}  // namespace gatefold::test
