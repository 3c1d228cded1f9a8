#pragma once

#include <string>
#include <vector>

namespace gatefold::test {

/// An entry as its head declares it.
struct PtxEntry {
  std::string name;
  std::vector<size_t> params;  ///< bytes of each
};

struct PtxText {
  int version = 0;       ///< 84 is 8.4; 0: none found
  int capability = 0;    ///< 80 of sm_80
  int shared_bytes = 0;  ///< of the module's static shared variables
  std::vector<PtxEntry> entries;
};

/// The heads of a module; bodies are not looked at.
PtxText read_ptx(const std::string& text);

}  // namespace gatefold::test
