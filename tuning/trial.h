#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "spec/ffn_spec.h"

namespace gatefold {

/// What became of one candidate. Everything but ok is a recorded result that can never win.
enum class TrialKind {
  ok,
  invalid,  ///< refused before or by the runtime, or faster than this machine can be
  compile_error,
  compile_timeout,
  crash,
  sigill,
  oom,
  run_timeout,
  wrong_result,
  noisy,  ///< samples too scattered to rank it
};

const char* name(TrialKind kind);
TrialKind trial_kind_named(std::string_view name);
const std::vector<TrialKind>& all_trial_kinds();

inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// Largest deviations from the f64 reference.
struct TrialError {
  double max_abs = kUnknown, rel_l2 = kUnknown, scaled = kUnknown;
};

/// One measured candidate. Milliseconds; NaN where not measured.
struct TrialResult {
  TrialKind kind = TrialKind::ok;
  std::string message;
  std::vector<double> samples;  ///< by round; NaN for rounds it was left out of
  int disturbed = 0;            ///< samples kept although the system interfered with them
  double median_ms = kUnknown;
  double ratio = kUnknown;  ///< time / its anchor's (TrialBook::anchor_of), in the same rounds
  TrialError error;
};

/// Milliseconds to rank it by: its ratio times those of what it was timed beside, so that drift
/// between requests cancels; as measured if `anchor_ms` or the ratio is NaN. NaN if the trial
/// failed.
double screened_ms(const TrialResult& trial, double anchor_ms);

}  // namespace gatefold
