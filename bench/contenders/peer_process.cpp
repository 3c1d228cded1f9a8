#include "bench/contenders/peer_process.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "bench/peer_request.h"
#include "spec/names.h"
#include "tuning/worker_process.h"

namespace gatefold {
namespace {

using nlohmann::json;

/// Through env(1), which becomes the program. The affinity is inherited; the thread count goes to
/// every pool that reads one. A core type that the surroundings force on OpenBLAS would be no fair
/// match.
std::vector<std::string> command_line(const PeerEntry& entry, int threads) {
  std::vector<std::string> argv = {"env", "-u", "OPENBLAS_CORETYPE", "-u", "OPENBLAS_L2_SIZE"};
  for (const char* name : {"OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"}) {
    argv.push_back(std::string(name) + "=" + std::to_string(threads));
  }
  // Two OpenMP threads that share a CPU spin against each other, and may go on so for a whole run.
  if (threads > 1) argv.push_back("OMP_PROC_BIND=true");
  for (const auto& [name, value] : entry.environment) argv.push_back(name + "=" + value);
  argv.insert(argv.end(), entry.command.begin(), entry.command.end());
  return argv;
}

class PeerProcess : public Contender {
 public:
  PeerProcess(PeerEntry entry, const Contest& contest)
      : entry_(std::move(entry)),
        contest_(contest),
        x_(bytes_of(*std::max_element(contest.rows.begin(), contest.rows.end()))),
        y_(x_.size()) {
    if (!entry_.unavailable.empty()) throw NotRun(entry_.unavailable);
    if (contest.ffn.residual) throw NotRun("adds no residual, which the library does");
    if (contest.ffn.act() != contest.ffn.dtype)
      throw NotRun("is given x in the weights' type, not " + info(contest.ffn.act()).name);
    try {
      process_.emplace(command_line(entry_, contest.threads));
    } catch (const Error& error) {
      throw NotRun(error.what());
    }
  }

  void add_copy(const FfnData& data) override {
    if (uses_.empty()) load(data);
    weight_bytes_ = number(ask({{"do", "copy"}}), "weight_bytes");
  }
  int64_t weight_bytes() const override { return static_cast<int64_t>(weight_bytes_); }
  std::string description() const override { return uses_; }

  CallTime run(size_t before, size_t copy, const gf_rows& x, const gf_rows& y) override {
    const size_t bytes = bytes_of(x.rows);
    std::memcpy(x_.data(), x.data, bytes);
    std::memcpy(y_.data(), y.data, bytes);  // what the peer leaves out stays as it was
    json reply;
    const CallTime round_trip = timed_call([&] {
      reply = ask({{"do", "run"}, {"rows", x.rows}, {"before", before}, {"copy", copy}});
    });
    std::memcpy(y.data, y_.data(), bytes);
    const double ms = number(reply, "ms");
    if (!(ms > 0 && ms <= round_trip.ms)) {
      throw NotRun("says that its call took " + std::to_string(ms) + " ms of the " +
                   std::to_string(round_trip.ms) + " ms until its answer");
    }
    const auto switches = static_cast<int64_t>(number(reply, "switches"));
    return {ms, round_trip.disturbed || too_many_switches(switches, ms)};
  }

 private:
  size_t bytes_of(int64_t rows) const {
    return static_cast<size_t>(rows * contest_.ffn.shape.d_model * info(contest_.ffn.dtype).bytes);
  }

  void load(const FfnData& data) {
    contest_.peer_weights->write(data);
    const json reply = ask(load_request(contest_, x_.path(), y_.path()));
    set_uses(reply);
    if (uses_.empty()) throw NotRun("answered to load without 'uses': " + short_text(reply.dump()));
  }

  void set_uses(const json& reply) {
    if (reply.contains("uses") && reply["uses"].is_string()) uses_ = reply["uses"];
  }

  /// One answer, while the process is awake.
  json ask(const json& request) {
    process_->resume();
    std::string line;
    if (!process_->write_line(request.dump())) throw NotRun(ended());
    const auto read = process_->read_line(line, entry_.seconds, contest_.stop);
    if (read == WorkerProcess::Read::closed) throw NotRun(ended());
    if (read == WorkerProcess::Read::stopped) throw NotRun("interrupted");
    if (read != WorkerProcess::Read::line) throw NotRun(no_answer(request, read));
    process_->suspend();
    json reply = json::parse(line, nullptr, false);
    if (!reply.is_object()) throw NotRun("wrote '" + short_text(line) + "', wanted a JSON object");
    for (const char* kind : {"declined", "error"}) {
      if (reply.contains(kind))
        throw NotRun(short_text(reply[kind].is_string() ? reply[kind].get<std::string>()
                                                        : reply[kind].dump()));
    }
    set_uses(reply);
    return reply;
  }

  static double number(const json& reply, const char* name) {
    const auto found = reply.find(name);
    if (found != reply.end() && found->is_number()) return found->get<double>();
    throw NotRun(std::string("answered without a number '") + name +
                 "': " + short_text(reply.dump()));
  }

  std::string no_answer(const json& request, WorkerProcess::Read read) const {
    const std::string what = request["do"].get<std::string>();
    if (read == WorkerProcess::Read::too_long) return "wrote a line without end to '" + what + "'";
    return "no answer to '" + what + "' within " + short_number(entry_.seconds) + " s" +
           last_words();
  }

  std::string ended() {
    const WorkerExit exit = process_->finish(1);
    return (exit.signal ? "ended by signal " + std::to_string(exit.signal)
                        : "ended with exit status " + std::to_string(exit.code)) +
           last_words();
  }

  std::string last_words() const {
    const std::string tail = process_->stderr_tail();
    return tail.empty() ? ""
                        : ": " + short_text(tail.substr(tail.size() > 200 ? tail.size() - 200 : 0));
  }

  static std::string short_number(double value) { return shortest(static_cast<float>(value)); }

  /// One printable line.
  static std::string short_text(std::string text) {
    if (text.size() > 300) text.resize(300);
    for (char& c : text) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
    }
    return text;
  }

  PeerEntry entry_;
  const Contest& contest_;
  SharedBytes x_, y_;
  std::optional<WorkerProcess> process_;
  std::string uses_;
  double weight_bytes_ = 0;
};

}  // namespace

ContenderInfo peer_contender(const PeerEntry& entry) {
  return {
      .name = entry.name,
      .note = entry.note,
      .make =
          [entry](const Contest& contest) { return std::make_unique<PeerProcess>(entry, contest); },
      .own = false};
}

}  // namespace gatefold
