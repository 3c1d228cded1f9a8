#include "tuning/trial.h"

#include <cmath>

#include "spec/names.h"

namespace gatefold {

const char* name(TrialKind kind) {
  switch (kind) {
    case TrialKind::ok:
      return "ok";
    case TrialKind::invalid:
      return "invalid";
    case TrialKind::compile_error:
      return "compile_error";
    case TrialKind::compile_timeout:
      return "compile_timeout";
    case TrialKind::crash:
      return "crash";
    case TrialKind::sigill:
      return "sigill";
    case TrialKind::oom:
      return "oom";
    case TrialKind::run_timeout:
      return "run_timeout";
    case TrialKind::wrong_result:
      return "wrong_result";
    case TrialKind::noisy:
      return "noisy";
  }
  return "";
}

const std::vector<TrialKind>& all_trial_kinds() {
  static const std::vector<TrialKind> kinds = {TrialKind::ok,
                                               TrialKind::invalid,
                                               TrialKind::compile_error,
                                               TrialKind::compile_timeout,
                                               TrialKind::crash,
                                               TrialKind::sigill,
                                               TrialKind::oom,
                                               TrialKind::run_timeout,
                                               TrialKind::wrong_result,
                                               TrialKind::noisy};
  return kinds;
}

TrialKind trial_kind_named(std::string_view wanted) {
  std::vector<std::string> names;
  for (TrialKind kind : all_trial_kinds()) {
    if (wanted == name(kind)) return kind;
    names.emplace_back(name(kind));
  }
  fail_usage(unknown_name_message("trial kind", wanted, names));
}

double screened_ms(const TrialResult& trial, double anchor_ms) {
  if (trial.kind != TrialKind::ok) return kUnknown;
  const bool relative = std::isfinite(anchor_ms) && std::isfinite(trial.ratio);
  return relative ? trial.ratio * anchor_ms : trial.median_ms;
}

}  // namespace gatefold
