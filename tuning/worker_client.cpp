#include "tuning/worker_client.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <numeric>
#include <optional>

#include "spec/byte_hash.h"
#include "spec/error.h"
#include "tuning/host.h"

namespace gatefold {
namespace {

using Read = WorkerProcess::Read;

constexpr int64_t kGiB = int64_t{1} << 30;

/// What dying this way says of the candidate that was running.
TrialKind kind_of(const WorkerExit& exit) {
  switch (exit.signal) {
    case SIGILL:
      return TrialKind::sigill;
    case SIGKILL:
      return TrialKind::oom;  // not sent by us: the kernel's out-of-memory killer
    default:
      return TrialKind::crash;
  }
}

SentLibrary read_library(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  SentLibrary library;
  library.bytes.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  if (!file || library.bytes.empty()) fail(path + ": cannot be read: " + std::strerror(errno));
  library.name = hash_of(library.bytes);
  return library;
}

/// Weights once as made and, packed, as often as the rotation may hold them, and room to work. Far
/// below what would make the machine swap.
int64_t memory_for(const MeasureRequest& r) {
  const int64_t weights = r.ffn.variant.matrices() * r.ffn.shape.d_model * r.ffn.shape.d_ff;
  return 7 * kGiB + 4 * weights * 3 + r.threads * kGiB / 4;
}

/// The request with some of its candidates.
MeasureRequest with_candidates(const MeasureRequest& request, const std::vector<size_t>& which) {
  MeasureRequest part = request;
  part.libraries.clear();
  for (size_t i : which) part.libraries.push_back(request.libraries[i]);
  return part;
}

TrialResult refused(TrialKind kind, const std::string& message) {
  TrialResult result;
  result.kind = kind;
  result.message = message;
  return result;
}

/// Without the anchor they are relative to some other candidate.
void forget_ratios(MeasureReply& reply) {
  for (TrialResult& result : reply.candidates) result.ratio = kUnknown;
}

}  // namespace

/// How far a request got.
struct WorkerClient::Place {
  int candidate = -1;  ///< that is being checked or timed; -1: not known
  bool sampling = false;
  bool anybody() const { return candidate >= 0 || sampling; }
};

/// One request to one worker: a reply, or how it was lost and to which candidate.
struct WorkerClient::Attempt {
  std::optional<MeasureReply> reply;
  bool stopped = false;
  int candidate = -1;  ///< whose fault it is; -1: not known
  TrialResult fault;
};

std::filesystem::path default_worker() {
  const std::filesystem::path here = program_directory();
  const std::filesystem::path above = here.parent_path();
  for (const auto& path : {here / "gatefold-worker", above / "gatefold-worker"}) {
    if (std::filesystem::exists(path)) return path;
  }
  return above / "bin" / "gatefold-worker";
}

/// One that is idle ends by itself as soon as nobody speaks to it any more.
WorkerClient::~WorkerClient() {
  if (session_) session_->process().finish(2);
}

void WorkerClient::start() {
  if (session_) return;
  session_ = std::make_unique<WorkerSession>(options_);
  const std::string& cpu = session_->machine().cpu;
  if (cpu_.empty()) cpu_ = cpu;
  if (cpu == cpu_ || stopped()) return;
  session_.reset();
  fail(options_.name() + ": answers from a '" + cpu + "' now, and began on a '" + cpu_ + "'");
}

WorkerMachine WorkerClient::machine() {
  start();
  return session_->machine();
}

std::optional<Roof> WorkerClient::roof(const RoofRequest& request) {
  start();
  if (stopped()) return std::nullopt;
  return session_->roof(request);
}

double WorkerClient::timeout_s(const Place& place) const {
  if (place.sampling) return options_.candidate_timeout_s + options_.round_timeout_s;
  // The first candidate of its packing waits for the weights to be made and packed.
  const bool setup = place.candidate <= 0;
  return options_.candidate_timeout_s + (setup ? options_.setup_timeout_s : 0);
}

/// `exit`: how the worker says that what measured has ended; null where it said nothing.
WorkerClient::Attempt WorkerClient::lost(Read how, const WorkerExit* exit, const Place& place) {
  Attempt attempt;
  attempt.candidate = place.candidate;
  if (exit) {
    session_->process().finish(1);
    attempt.fault = refused(kind_of(*exit), describe(*exit, session_->process().stderr_tail()));
  } else if (how == Read::stopped) {
    session_->process().finish(0);
    attempt.stopped = true;
  } else if (how == Read::timed_out) {
    session_->process().finish(0);
    attempt.fault =
        refused(TrialKind::run_timeout, place.sampling ? "ran past its time while timed"
                                                       : "ran past its time while checked");
  } else {
    attempt.fault = refused(TrialKind::crash, session_->last_words(how));
  }
  session_.reset();
  return attempt;
}

/// False if stopped.
bool WorkerClient::send_libraries(MeasureRequest& request) {
  request.sent = true;
  for (std::string& path : request.libraries) {
    const auto known = names_.find(path);
    if (known == names_.end() || !session_->has(known->second)) {
      const SentLibrary library = read_library(path);
      names_[path] = library.name;
      if (!session_->send(library)) return false;
    }
    path = names_[path];
  }
  return true;
}

/// Throws WorkerLost where no candidate can have done it, or it is not sure that one did.
WorkerClient::Attempt WorkerClient::once(const MeasureRequest& wanted, Place& place) {
  MeasureRequest request = wanted;
  if (options_.elsewhere && !send_libraries(request)) return lost(Read::stopped, nullptr, place);
  session_->write(request_line(request));
  while (true) {
    WorkerSession::Heard heard = session_->hear(timeout_s(place));
    if (heard.how == Read::closed) throw WorkerLost(session_->last_words(heard.how));
    if (heard.how == Read::timed_out && !place.anybody()) {
      fail(session_->complaint(heard, "a reply"));
    }
    if (heard.how != Read::line) return lost(heard.how, nullptr, place);
    if (!heard.line && !place.anybody()) fail(session_->complaint(heard, "a reply"));
    if (!heard.line) return lost(heard.how, nullptr, place);
    WorkerLine& line = *heard.line;
    switch (line.kind) {
      case WorkerLine::Kind::candidate:
      case WorkerLine::Kind::signal:
        place.candidate = line.index;
        break;
      case WorkerLine::Kind::round:
        place.sampling = true;
        place.candidate = request.libraries.size() == 1 ? 0 : -1;
        break;
      case WorkerLine::Kind::ended:
        if (!place.anybody()) throw WorkerLost(options_.name() + ": " + describe(line.exit, ""));
        return lost(heard.how, &line.exit, place);
      case WorkerLine::Kind::reply: {
        if (line.reply.candidates.size() != request.libraries.size())
          return lost(heard.how, nullptr, place);
        Attempt done;
        done.reply = std::move(line.reply);
        return done;
      }
      case WorkerLine::Kind::error:  // candidates have their own results
      case WorkerLine::Kind::hello:
      case WorkerLine::Kind::library:
      case WorkerLine::Kind::roof:
      case WorkerLine::Kind::waiting:
        fail(session_->complaint(heard, "a reply"));
    }
  }
}

/// Lost twice at a candidate, it is the candidate's: it may take its machine down.
WorkerClient::Attempt WorkerClient::attempt(const MeasureRequest& request) {
  for (bool again = false;; again = true) {
    start();
    Place place;
    try {
      return once(request, place);
    } catch (const WorkerLost& loss) {
      session_.reset();
      if (!again) continue;
      if (!place.anybody()) throw;
      Attempt attempt;
      attempt.candidate = place.candidate;
      attempt.fault = refused(TrialKind::crash, loss.what());
      return attempt;
    } catch (const Error&) {
      session_.reset();
      throw;
    }
  }
}

/// Nobody can be named: each on its own, and those that fail so are out. False if stopped.
bool WorkerClient::try_alone(const MeasureRequest& request, std::vector<size_t>& left,
                             MeasureReply& whole) {
  std::vector<size_t> good;
  for (size_t i : left) {
    const MeasureReply alone = measure(with_candidates(request, {i}));
    if (alone.candidates.empty()) return false;
    if (alone.candidates.front().kind == TrialKind::ok)
      good.push_back(i);
    else
      whole.candidates[i] = alone.candidates.front();
  }
  left = good;
  return true;
}

MeasureReply WorkerClient::measure(const MeasureRequest& wanted) {
  MeasureRequest request = wanted;
  request.memory_bytes = options_.memory_bytes ? options_.memory_bytes : memory_for(request);
  MeasureReply whole;
  whole.candidates.assign(request.libraries.size(), {});
  std::vector<size_t> left(request.libraries.size());
  std::iota(left.begin(), left.end(), size_t{0});
  while (!left.empty()) {
    const Attempt got = attempt(with_candidates(request, left));
    if (got.stopped) return {};
    if (got.reply) {
      for (size_t i = 0; i < left.size(); ++i) whole.candidates[left[i]] = got.reply->candidates[i];
      if (left.front() != 0) forget_ratios(whole);
      whole.copies = got.reply->copies;
      whole.cold = got.reply->cold;
      return whole;
    }
    if (got.candidate >= 0 && static_cast<size_t>(got.candidate) < left.size()) {
      const auto guilty = left.begin() + got.candidate;
      whole.candidates[*guilty] = got.fault;
      left.erase(guilty);
      continue;
    }
    if (left.size() == 1) {
      for (size_t i : left) whole.candidates[i] = got.fault;
      return whole;
    }
    const size_t before = left.size();
    if (!try_alone(request, left, whole)) return {};
    if (left.size() == before) {
      // All behave when alone: then the request is to blame, and nobody can be timed with it.
      for (size_t i : left) whole.candidates[i] = got.fault;
      return whole;
    }
  }
  return whole;
}

}  // namespace gatefold
