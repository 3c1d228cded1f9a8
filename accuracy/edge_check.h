#pragma once

#include <memory>
#include <string>
#include <vector>

#include "accuracy/accuracy_cases.h"
#include "accuracy/guarded_memory.h"
#include "accuracy/loaded_library.h"

namespace gatefold {

/// A block whose calls are made once more with every tensor, the packed weights included, at an
/// edge of memory that nothing may touch: what reads or writes past one ends the process.
class EdgeCheck {
 public:
  EdgeCheck(const LoadedLibrary& library, const FfnData& data, const std::string& target,
            int threads);

  /// The case with dense rows at the begin and at the end of their memory, which aligns them to
  /// their elements only, and with rows that lie apart; of 20 rows or fewer, since more tell
  /// nothing more. What is wrong; empty if each of these gives the bits `y` and leaves alone what
  /// lies between the rows.
  std::string complaint(const AccuracyCase& c, const std::vector<uint8_t>& y) const;

 private:
  const FfnSpec ffn_;
  std::unique_ptr<GuardedMemory> packed_;
  Block block_;
};

}  // namespace gatefold
