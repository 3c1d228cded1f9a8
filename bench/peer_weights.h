#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "accuracy/ffn_data.h"
#include "bench/shared_bytes.h"

namespace gatefold {

/// The weights of one block as peers read them: written once for all of them, in the block's
/// dtype and PyTorch's layout.
class PeerWeights {
 public:
  struct Place {
    std::string name;  ///< gate, up, down, gate_bias, up_bias, down_bias
    size_t offset = 0;
    std::vector<int64_t> shape;
  };

  /// Writes them unless that is done.
  void write(const FfnData& data);
  std::string path() const { return bytes_->path(); }
  const std::vector<Place>& places() const { return places_; }

 private:
  std::vector<Place> places_;
  std::unique_ptr<SharedBytes> bytes_;
};

}  // namespace gatefold
