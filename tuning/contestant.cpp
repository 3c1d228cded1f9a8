#include "tuning/contestant.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include "runtime/select.h"
#include "spec/error.h"
#include "tuning/noise.h"

namespace gatefold {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kMostCallsPerSample = 10000;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

gf_rows input_rows(const std::vector<uint8_t>& stored, const MeasureRequest& request) {
  gf_rows rows = {};
  rows.struct_size = sizeof rows;
  rows.dtype = runtime_dtype(request.ffn.act());
  rows.data = const_cast<uint8_t*>(stored.data());
  rows.rows = request.rows;
  rows.cols = request.ffn.shape.d_model;
  return rows;
}

/// The kernel that the runtime would take for these rows; null if there is none.
const gf_kernel* choose_kernel(const gf_kernel_table& table, const MeasureRequest& request) {
  const gf_kernel* best = nullptr;
  int64_t nearest = INT64_MAX;
  for (const BucketChoice& bucket :
       choose_kernels(table, info(request.target).name.c_str(), request.threads)) {
    const int64_t distance = distance_to_bucket(bucket.rows_min, bucket.rows_max, request.rows);
    if (distance >= nearest) continue;
    nearest = distance;
    best = bucket.kernel;
  }
  return best;
}

std::string why_unfit(const gf_kernel_table& t, const MeasureRequest& r) {
  const Shape& s = r.ffn.shape;
  if ((t.d_model != 0 && t.d_model != s.d_model) || (t.d_ff != 0 && t.d_ff != s.d_ff)) {
    return "the library is for " + Shape{t.d_model, t.d_ff}.text() + ", wanted " + s.text();
  }
  if (t.variant != r.ffn.variant.name) return std::string("the library is for ") + t.variant;
  if (t.dtype != info(r.ffn.dtype).name) return std::string("the library is for ") + t.dtype;
  if (t.act_dtype != info(r.ffn.act()).name)
    return std::string("the library is for x and y in ") + t.act_dtype;
  if (t.accumulate != info(r.ffn.accumulate).name)
    return std::string("the library sums in ") + t.accumulate;
  if ((t.has_bias != 0) != r.ffn.bias) return "the library differs in having biases";
  if ((t.has_residual != 0) != r.ffn.residual) return "the library differs in adding a residual";
  return {};
}

}  // namespace

/// The inputs of one call, as the runtime takes them.
struct Contestant::Rows {
  gf_rows x, residual;
  bool has_residual;

  Rows(const StoredInputs& inputs, const MeasureRequest& request)
      : x(input_rows(inputs.x, request)),
        residual(input_rows(inputs.residual, request)),
        has_residual(request.ffn.residual) {}
};

gf_status Contestant::run(const Rows& inputs) {
  const gf_rows* const residual = inputs.has_residual ? &inputs.residual : nullptr;
  return rotation_->run(route_, inputs.x, residual, y_->rows());
}

void Contestant::refuse(TrialKind kind, const std::string& message) {
  result_.kind = kind;
  result_.message = message;
  racing_ = false;
}

void Contestant::open(const std::string& path, const MeasureRequest& request) {
  try {
    library_ = CandidateLibrary(path);
  } catch (const Error& e) {
    return refuse(TrialKind::invalid, e.what());
  }
  const std::string unfit = why_unfit(table(), request);
  if (!unfit.empty()) return refuse(TrialKind::invalid, unfit);
  kernel_ = choose_kernel(table(), request);
  if (!kernel_) refuse(TrialKind::invalid, "the library has no kernel of the target");
}

void Contestant::place(WeightRotation& rotation, Route route) {
  rotation_ = &rotation;
  route_ = std::move(route);
}

bool Contestant::run_checked(const Rows& inputs) {
  y_->poison();
  if (const gf_status status = run(inputs); status != GF_OK) {
    refuse(status == GF_OUT_OF_MEMORY ? TrialKind::oom : TrialKind::invalid, gf_last_error());
    return false;
  }
  const std::string complaint = y_->complaint();
  if (!complaint.empty()) refuse(TrialKind::wrong_result, complaint);
  return complaint.empty();
}

void Contestant::check(const MeasureRequest& request, StoredInputs& inputs, Oracle& oracle) {
  const Rows given(inputs, request);
  const StoredInputs before = inputs;
  y_ = std::make_unique<GuardedOutput>(request.rows, given.x.cols, given.x.dtype);
  if (!run_checked(given)) return;
  expected_.assign(y_->data(), y_->data() + y_->bytes());
  const auto start = Clock::now();
  if (!run_checked(given)) return;
  const double ms = std::max(ms_since(start), 1e-6);
  if (inputs != before) {
    inputs = before;
    return refuse(TrialKind::wrong_result, "changed its input");
  }
  if (std::memcmp(expected_.data(), y_->data(), y_->bytes()) != 0) {
    return refuse(TrialKind::wrong_result, "two runs on the same input differ");
  }
  const Oracle::Verdict verdict = oracle.judge(y_->data(), request.rows);
  result_.error = verdict.error;
  if (!verdict.ok) return refuse(TrialKind::wrong_result, verdict.message);
  calls_ =
      static_cast<int>(std::clamp(std::ceil(request.min_sample_ms / ms), 1.0, kMostCallsPerSample));
  racing_ = true;
}

double Contestant::timed_sample(const MeasureRequest& request, const StoredInputs& inputs,
                                int attempts) {
  const Rows given(inputs, request);
  double best = kUnknown;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    y_->poison();  // what an earlier call wrote must not pass for this one's
    const NoiseGuard guard;
    const auto start = Clock::now();
    gf_status status = GF_OK;
    for (int call = 0; call < calls_ && status == GF_OK; ++call) status = run(given);
    const double elapsed = ms_since(start);
    if (status != GF_OK) {
      refuse(TrialKind::invalid, gf_last_error());
      return kUnknown;
    }
    if (std::memcmp(expected_.data(), y_->data(), y_->bytes()) != 0) {
      refuse(TrialKind::wrong_result, "a timed run gave another result than the checked one");
      return kUnknown;
    }
    best = std::fmin(best, elapsed / calls_);
    if (!guard.disturbed(elapsed)) return best;
  }
  ++result_.disturbed;
  return best;
}

}  // namespace gatefold
