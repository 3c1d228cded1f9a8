#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "spec/ffn_spec.h"
#include "tuning/trial.h"

namespace gatefold {

/// The worker reads requests and writes replies, one JSON object a line. Before it touches a
/// candidate it writes an event line, so that a crash or hang can be laid at its door.
///
///   {"kind":"measure", …MeasureRequest}  -> events, {"reply":"measure", …MeasureReply}
///   {"kind":"check", …}                  the same without timing
///   {"kind":"quit"}                      -> the worker ends
///   {"event":"candidate","index":2}      candidate 2 is about to be loaded and checked
///   {"event":"round"}                    a round of timing begins
///   {"event":"signal","index":2}         written by the signal handler while 2 was running
///   {"reply":"error","message":…}        the request could not be understood or served

struct MeasureRequest {
  std::vector<std::string> libraries;  ///< one .so a candidate; the first is the anchor
  FfnSpec ffn;                         ///< fixed sizes
  Target target = Target::x86_avx2;
  int64_t rows = 1;
  int threads = 1;
  uint64_t seed = 1;  ///< of weights and inputs

  bool timed = true;
  bool cold = true;  ///< rotate through copies of the weights larger than the last cache
  int min_rounds = 3;
  int max_rounds = 10;
  double budget_ms = 1000;   ///< no round begins later, once there are min_rounds
  double min_sample_ms = 1;  ///< calls are repeated within a sample up to this
  double drop_ratio = 0;     ///< candidates this much behind the best are dropped; 0: none
};

struct MeasureReply {
  std::vector<TrialResult> candidates;
  int copies = 0;     ///< of the weights, in the rotation
  bool cold = false;  ///< whether the rotation was larger than four times the last cache
};

nlohmann::json to_json(const FfnSpec& ffn);
FfnSpec ffn_from_json(const nlohmann::json& json);

std::string request_line(const MeasureRequest& request);
std::string reply_line(const MeasureReply& reply);
std::string error_line(const std::string& message);

/// A line from the worker; nothing if it makes no sense.
struct WorkerLine {
  enum class Kind { candidate, round, signal, reply, error } kind;
  int index = -1;
  MeasureReply reply;
  std::string message;
};
std::optional<WorkerLine> parse_worker_line(const std::string& line);

/// A line to the worker; throws gatefold::Error on nonsense.
struct WorkerRequest {
  enum class Kind { measure, quit } kind = Kind::quit;
  MeasureRequest measure;
};
WorkerRequest parse_request_line(const std::string& line);

}  // namespace gatefold
