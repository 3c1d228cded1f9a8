#include "tuning/worker_client.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <numeric>
#include <optional>

#include "spec/error.h"
#include "tuning/host.h"

namespace gatefold {
namespace {

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

std::string describe(const WorkerExit& exit, const std::string& errors) {
  std::string text = exit.signal ? std::string("ended by ") + strsignal(exit.signal)
                                 : "ended with status " + std::to_string(exit.code);
  if (!errors.empty()) text += ": " + errors;
  return text;
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

void WorkerClient::start(const MeasureRequest& request) {
  const int64_t memory = options_.memory_bytes ? options_.memory_bytes : memory_for(request);
  worker_ = std::make_unique<WorkerProcess>(options_.command, WorkerLimits{memory});
}

double WorkerClient::timeout_s(int candidate, bool sampling) const {
  if (sampling) return options_.candidate_timeout_s + options_.round_timeout_s;
  // The first candidate of its packing waits for the weights to be made and packed.
  const bool setup = candidate <= 0;
  return options_.candidate_timeout_s + (setup ? options_.setup_timeout_s : 0);
}

WorkerClient::Attempt WorkerClient::lost(WorkerProcess::Read how, int candidate, bool sampling) {
  const double grace = how == WorkerProcess::Read::closed ? 5 : 0;
  const WorkerExit exit = worker_->finish(grace);
  const std::string errors = worker_->stderr_tail();
  worker_.reset();
  Attempt attempt;
  attempt.candidate = candidate;
  switch (how) {
    case WorkerProcess::Read::stopped:
      attempt.stopped = true;
      break;
    case WorkerProcess::Read::timed_out:
      attempt.fault = refused(TrialKind::run_timeout, sampling ? "ran past its time while timed"
                                                               : "ran past its time while checked");
      break;
    case WorkerProcess::Read::closed:
      attempt.fault = refused(kind_of(exit), describe(exit, errors));
      break;
    case WorkerProcess::Read::too_long:
    case WorkerProcess::Read::line:
      attempt.fault = refused(TrialKind::crash, "the worker wrote something that is no reply");
      break;
  }
  return attempt;
}

WorkerClient::Attempt WorkerClient::attempt(const MeasureRequest& request) {
  if (!worker_) start(request);
  if (!worker_->write_line(request_line(request))) {
    // A worker that died while idle is nobody's fault; once more with a new one.
    worker_.reset();
    start(request);
    worker_->write_line(request_line(request));
  }
  int candidate = -1;
  bool sampling = false;
  while (true) {
    std::string text;
    const auto how = worker_->read_line(text, timeout_s(candidate, sampling), options_.stop);
    if (how != WorkerProcess::Read::line) return lost(how, candidate, sampling);
    std::optional<WorkerLine> line = parse_worker_line(text);
    if (!line) return lost(how, candidate, sampling);
    switch (line->kind) {
      case WorkerLine::Kind::candidate:
        candidate = line->index;
        break;
      case WorkerLine::Kind::signal:
        candidate = line->index;
        break;
      case WorkerLine::Kind::round:
        sampling = true;
        candidate = request.libraries.size() == 1 ? 0 : -1;
        break;
      case WorkerLine::Kind::error:
        // Candidates have their own results; this is what the machine could not do.
        fail("gatefold-worker: " + line->message);
      case WorkerLine::Kind::reply: {
        Attempt done;
        if (line->reply.candidates.size() != request.libraries.size())
          return lost(how, candidate, sampling);
        done.reply = std::move(line->reply);
        return done;
      }
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

MeasureReply WorkerClient::measure(const MeasureRequest& request) {
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
