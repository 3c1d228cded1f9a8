#include "bench/ladder/steps.h"

#include "schedules/space.h"
#include "spec/error.h"

namespace gatefold {
namespace {

/// "kb=16 pf=32": the integer tunables in which a point differs from the one before.
std::string differences(const SchedulePoint& before, const SchedulePoint& point) {
  std::string text;
  for (const Tunable& t : kTunables) {
    if (before.*t.value == point.*t.value) continue;
    text += (text.empty() ? "" : " ") + std::string(t.name) + "=" + std::to_string(point.*t.value);
  }
  return text;
}

std::string with_differences(const std::string& change, const SchedulePoint& before,
                             const SchedulePoint& point) {
  const std::string which = differences(before, point);
  return change + (which.empty() ? " (here: nothing)" : " (" + which + ")");
}

LadderStep naive(const KernelSpec& shipped) {
  LadderStep step;
  step.name = "naive";
  step.schedule = "naive";
  step.change = "Every stage on its own in memory, no vectors";
  step.reason =
      "Each output is a sum over k, computed one number at a time: every addition waits for the "
      "one before, and the weights are packed by panels, so the loop over k strides over the other "
      "columns of a panel.";
  step.kernel = shipped;
  step.kernel.point = {.fusion = Fusion::unfused, .mr = 1, .streams = 1, .xpack = 0};
  return step;
}

LadderStep vectors(const LadderStep& before) {
  LadderStep step = before;
  step.name = "vectors";
  step.schedule = "vectors";
  step.change = "The loop over columns innermost, one vector of them at a time";
  step.reason =
      "The columns of a panel stand side by side, so one load brings a vector of weights, and x is "
      "broadcast. There is a single sum still: each multiply-add waits for the one before, and a "
      "weight that is loaded serves one row.";
  return step;
}

LadderStep tile(const LadderStep& before, const KernelSpec& shipped) {
  LadderStep step = before;
  step.name = "register tile";
  step.schedule = "point";
  step.kernel.point.mr = shipped.point.mr;
  step.kernel.point.streams = shipped.point.streams;
  step.change = with_differences("A tile of rows by weight streams held in registers",
                                 before.kernel.point, step.kernel.point);
  step.reason =
      "Each weight vector that is loaded serves all rows of the tile and each broadcast serves all "
      "streams; the sums stay in registers until they are complete, and there are several, so the "
      "latency of one hides behind the others. Gate, up and activation are separate still.";
  return step;
}

LadderStep gated(const LadderStep& before) {
  LadderStep step = before;
  step.name = "gated";
  step.kernel.point.fusion = Fusion::gated;
  step.change = "Gate and up in one pass over x, the activation in the epilogue (fusion=gated)";
  step.reason =
      "Panels of both matrices are read side by side into one register tile, so x is read once and "
      "the two products never go to memory: the activation takes them where they are, and only "
      "the hidden layer is stored.";
  return step;
}

/// What orders the walk along k: blocks where the shipped point has them, else what it has instead.
LadderStep k_walk(const LadderStep& before, const KernelSpec& shipped) {
  LadderStep step = before;
  SchedulePoint& point = step.kernel.point;
  if (shipped.point.kb > 0) {
    point.kb = shipped.point.kb;
    step.name = "k-blocks";
    step.change = with_differences("Blocks of k, the sums of all row tiles in L1 in between",
                                   before.kernel.point, point);
    step.reason =
        "Without blocks every row tile reads whole panels, and a model's are larger than L1. With "
        "them, "
        "the first row tile brings a block of a panel into L1 and the others find it there; the "
        "price is that sums are put down and taken up once for each block.";
    return step;
  }
  point.xpack = shipped.point.xpack;
  point.unroll = shipped.point.unroll;
  step.name = "packed x";
  step.change =
      with_differences("The rows of x packed tile by tile; the shipped point has no k-blocks",
                       before.kernel.point, point);
  step.reason =
      "The rows of a tile stand side by side, so the tile reads x as one stream instead of as one "
      "for each row. A tile this tall makes little of k-blocks: compute hides the reads.";
  return step;
}

/// What a fusion other than that of the steps before is for.
std::string fusion_reason(Fusion fusion) {
  switch (fusion) {
    case Fusion::gated:
      return "";
    case Fusion::unfused:
      return "Here the stages are apart again. ";
    case Fusion::blocked:
      return "A block of rows goes through both projections before the next one, so its hidden "
             "layer stays in cache. ";
    case Fusion::streamed:
      return "A slice of d_ff is one task: its hidden columns stay in cache and go through down at "
             "once, into a partial result that y adds. ";
  }
  return "";
}

LadderStep last(const LadderStep& before, const KernelSpec& shipped) {
  LadderStep step = before;
  step.name = "shipped";
  step.reason.clear();
  step.kernel.point = shipped.point;
  step.change =
      with_differences("All else that the shipped point has", before.kernel.point, shipped.point);
  if (shipped.point.fusion != before.kernel.point.fusion)
    step.change += std::string(", fusion=") + name(shipped.point.fusion);
  const auto adds = [&](int SchedulePoint::*tunable) {
    return shipped.point.*tunable > before.kernel.point.*tunable;
  };
  if (adds(&SchedulePoint::xpack)) {
    step.reason +=
        "The rows of a tile of x stand side by side, so the tile reads one stream of x instead of "
        "one for each row. ";
  }
  if (adds(&SchedulePoint::pf)) {
    step.reason +=
        "Prefetch asks for the lines of later iterations while this one computes, so that reading "
        "weights and multiplying overlap instead of taking turns. ";
  }
  if (shipped.point.fusion != before.kernel.point.fusion)
    step.reason += fusion_reason(shipped.point.fusion);
  step.reason +=
      "Which tunables help, and how much, differs by block, row count and CPU: that is what the "
      "tuner finds out.";
  return step;
}

}  // namespace

LadderStep autoscheduled(const LadderStep& naive) {
  LadderStep step = naive;
  step.name = "Adams2019";
  step.schedule = "adams2019";
  step.change = "For comparison: the naive step's algorithm, scheduled by Halide's autoscheduler";
  step.reason =
      "Adams2019 searches by a cost model that was trained on other pipelines, with the weights "
      "that come with Halide 21 and all of the target's instructions. It may neither change the "
      "algorithm nor pack x otherwise.";
  return step;
}

std::string LadderStep::point() const { return schedule == "point" ? kernel.point.text() : ""; }

std::vector<LadderStep> ladder_to(const KernelSpec& shipped) {
  std::vector<LadderStep> steps = {naive(shipped)};
  steps.push_back(vectors(steps.back()));
  steps.push_back(tile(steps.back(), shipped));
  steps.push_back(gated(steps.back()));
  steps.push_back(k_walk(steps.back(), shipped));
  steps.push_back(last(steps.back(), shipped));
  for (const LadderStep& step : steps) {
    if (const auto reason = why_illegal(step.kernel)) fail("step " + step.name + ": " + *reason);
  }
  return steps;
}

}  // namespace gatefold
