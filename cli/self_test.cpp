#include "cli/self_test.h"

#include <fmt/format.h>

#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/spec_options.h"
#include "tuning/self_test.h"

namespace gatefold::cli {

void fill_in_small_block(SpecOptions& spec, bool rows_given) {
  if (!rows_given) spec.rows = "4";
  if (spec.preset || spec.variant || spec.d_model || spec.d_ff) return;
  spec.variant = "swiglu";
  spec.d_model = "512";
  spec.d_ff = "1376";
}

int run_self_test(const TuneRequest& request, Progress& progress, bool json) {
  const std::optional<SelfTest> test = self_test(request);
  progress.clear();
  if (!test) throw Interrupted();
  const Paired& p = test->paired;
  if (json) {
    print_json({{"ratio", number_or_null(p.ratio)},
                {"ratio_low", number_or_null(p.low)},
                {"ratio_high", number_or_null(p.high)},
                {"claimed", test->claimed},
                {"rounds", p.rounds},
                {"median_ms", number_or_null(test->median_ms)},
                {"emulated", !request.emulator.empty()},
                {"target", info(request.target).name}});
  } else {
    print_line(fmt::format("{} on {}, {} rows: the default against itself", describe(request.ffn),
                           info(request.target).name, request.rows.front()));
    print_line(fmt::format("ratio {:.4f}, 95 % {:.4f} - {:.4f}, {} rounds of {:.3f} ms", p.ratio,
                           p.low, p.high, p.rounds, test->median_ms));
    if (!request.emulator.empty()) print_line("emulated: these times say nothing of a CPU");
    print_line(test->claimed ? "claims a difference of 1 % or more: its figures cannot be trusted"
                             : "no difference of 1 % or more is claimed, as it should be");
  }
  return test->claimed ? 1 : 0;
}

}  // namespace gatefold::cli
