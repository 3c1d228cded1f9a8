#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "spec/ffn_spec.h"
#include "tuning/roof.h"
#include "tuning/trial.h"
#include "tuning/worker_exit.h"
#include "tuning/worker_machine.h"

namespace gatefold {

/// One object as a line; bytes that are no UTF-8 are replaced.
std::string line_of(const nlohmann::json& json);

/// Raised when a worker of another build could misunderstand.
inline constexpr int kWorkerProtocol = 3;

/// The worker reads requests and writes replies, one JSON object a line. Before it touches a
/// candidate it writes an event line, so that a crash or hang can be laid at its door.
///
///   {"kind":"hello","protocol":3}  the first line
///     -> {"reply":"hello","protocol":3,"version":"0.1.0","machine":{…WorkerMachine}}
///   {"kind":"library","name":HASH,"data":BASE64}  for a worker that does not see our files; once
///     -> {"reply":"library","name":HASH}
///   {"kind":"roof","target":T,"threads":N,"lock":true} -> {"reply":"roof","roof":{…Roof}}
///   {"kind":"measure", …MeasureRequest}  -> events, {"reply":"measure", …MeasureReply}
///   {"kind":"check", …}                  the same without timing
///   {"kind":"quit"}                      -> the worker ends
///   {"event":"waiting","message":…}      another program on that machine is measuring
///   {"event":"candidate","index":2}      candidate 2 is about to be loaded and checked
///   {"event":"round"}                    a round of timing begins
///   {"event":"signal","index":2}         written by the signal handler while 2 was running
///   {"event":"ended","signal":11,"code":0}  what measured has died; nothing comes after this
///   {"reply":"error","message":…}        the request could not be understood or served

struct MeasureRequest {
  std::vector<std::string> libraries;  ///< one .so a candidate; the first is the anchor
  bool sent = false;                   ///< they are not paths but names of libraries that were sent
  bool lock = false;                   ///< the worker takes its machine's measuring lock
  int64_t memory_bytes = 0;            ///< address space that the worker may use; 0: no limit
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

struct HelloRequest {
  int protocol = kWorkerProtocol;
};

struct HelloReply {
  int protocol = kWorkerProtocol;
  std::string version;
  WorkerMachine machine;
};

struct SentLibrary {
  std::string name;  ///< code_hash of the bytes, so that what arrives can be checked
  std::string bytes;
};

struct RoofRequest {
  Target target = Target::x86_avx2;
  int threads = 1;
  bool lock = false;
};

std::string request_line(const HelloRequest& request);
std::string request_line(const SentLibrary& library);
std::string request_line(const RoofRequest& request);
std::string request_line(const MeasureRequest& request);
std::string reply_line(const HelloReply& reply);
std::string reply_line(const SentLibrary& library);  ///< that it has arrived
std::string reply_line(const Roof& roof);
std::string reply_line(const MeasureReply& reply);
std::string error_line(const std::string& message);
std::string waiting_line(const std::string& message);

/// A line from the worker; nothing if it makes no sense.
struct WorkerLine {
  enum class Kind { hello, library, roof, waiting, candidate, round, signal, ended, reply, error };
  Kind kind;
  int index = -1;  ///< of the candidate
  WorkerExit exit;
  HelloReply hello;
  Roof roof;
  MeasureReply reply;
  std::string message;  ///< or the library's name
};
std::optional<WorkerLine> parse_worker_line(const std::string& line);

/// A line to the worker; throws gatefold::Error on nonsense.
using WorkerRequest =
    std::variant<std::monostate, HelloRequest, SentLibrary, RoofRequest, MeasureRequest>;
WorkerRequest parse_request_line(const std::string& line);  ///< monostate: quit

}  // namespace gatefold
