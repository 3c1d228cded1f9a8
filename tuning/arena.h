#pragma once

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "accuracy/ffn_data.h"
#include "tuning/contestant.h"
#include "tuning/oracle.h"
#include "tuning/sampling.h"
#include "tuning/weight_rotation.h"
#include "tuning/worker_protocol.h"

namespace gatefold {

/// What the arena tells while it works; the worker passes it on.
struct ArenaEvents {
  std::function<void(int index)> candidate;  ///< is about to be loaded and checked
  SamplingEvents sampling;
};

/// Loads candidates, checks them against the reference and times them in interleaved rounds.
/// Weights stay packed from request to request as long as block, seed and threads are the same.
class Arena {
 public:
  explicit Arena(ArenaEvents events) : events_(std::move(events)) {}

  /// Throws gatefold::Error if the request as a whole cannot be served.
  MeasureReply measure(const MeasureRequest& request);

 private:
  struct Rotation {
    Rotation(const gf_kernel_table& table, const gf_kernel& kernel, const FfnData& data,
             const RotationOptions& options)
        : weights(table, kernel, data, options) {}
    WeightRotation weights;
    bool in_use = true;  ///< by the request at hand
  };

  void prepare(const MeasureRequest& request);
  void place(Contestant& contestant, const MeasureRequest& request);
  int64_t make_room();
  MeasureReply reply(std::vector<Contestant>& contestants) const;

  ArenaEvents events_;
  std::string prepared_for_;
  std::unique_ptr<FfnData> data_;
  std::unique_ptr<Oracle> oracle_;
  std::list<Rotation> rotations_;
  StoredInputs inputs_;
};

}  // namespace gatefold
