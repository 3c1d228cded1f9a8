#include "bench/ladder/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "bench/ladder/page_template.h"
#include "spec/error.h"
#include "tuning/host.h"

namespace gatefold {
namespace {

std::string what_ran(const LadderRun& run) {
  const MeasureRequest& r = run.request;
  return fmt::format("`{}` {}, `{}`, {} row{}, {} thread{}, on {} ({}), weights {}.\n",
                     r.ffn.variant.name, r.ffn.shape.text(), r.ffn.dtypes(), r.rows,
                     r.rows == 1 ? "" : "s", r.threads, r.threads == 1 ? "" : "s", host_cpu_name(),
                     info(r.target).name, run.figures.cold ? "cold" : "warm");
}

std::string roof_line(const LadderRun& run) {
  const Roof& roof = run.figures.roof;
  return fmt::format(
      "Roof in the same rounds: {:.1f} GFLOP/s f32, {:.1f} bf16, {:.1f} GB/s read.\n",
      roof.f32_gflops, roof.bf16_gflops, roof.read_gbps);
}

std::vector<std::string> table_cells(const LadderRun& run, size_t i) {
  const StepFigures& f = run.figures.steps[i];
  std::vector<std::string> cells = {std::to_string(i + 1), run.steps[i].name};
  if (f.ok) {
    cells.push_back(fmt::format("{:.4g}", f.median_ms));
    cells.push_back(fmt::format("{:.4g}", f.gflops));
    cells.push_back(f.efficiency ? fmt::format("{:.3f}", *f.efficiency) : "-");
  } else {
    cells.insert(cells.end(), 3, "-");
  }
  const double first = run.figures.steps[0].median_ms;
  cells.push_back(f.ok && first > 0 ? fmt::format("{:.1f}x", first / f.median_ms) : "-");
  cells.push_back(f.ok ? std::to_string(f.samples) : "-");
  cells.push_back(f.ok ? "yes" : f.note);
  return cells;
}

std::string table_of(const LadderRun& run) {
  std::vector<std::vector<std::string>> rows = {
      {"#", "step", "median ms", "GFLOP/s", "efficiency", "against naive", "samples", "ok"}};
  for (size_t i = 0; i < run.steps.size(); ++i) rows.push_back(table_cells(run, i));
  std::vector<size_t> widths(rows[0].size(), 3);
  for (const auto& row : rows) {
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string rule = "|";
  for (size_t width : widths) rule += std::string(width + 2, '-') + "|";
  std::string text;
  for (const auto& row : rows) {
    text += "|";
    for (size_t c = 0; c < row.size(); ++c) text += fmt::format(" {:{}} |", row[c], widths[c]);
    text += "\n";
    if (&row == &rows[0]) text += rule + "\n";
  }
  return text;
}

std::string figures_line(const StepFigures& f) {
  if (!f.ok) return "Not timed: " + f.note + "\n";
  std::string line = fmt::format("{:.4g} ms, {:.4g} GFLOP/s", f.median_ms, f.gflops);
  if (f.efficiency) line += fmt::format(", efficiency {:.3f}", *f.efficiency);
  return line + fmt::format("; rel_l2 {:.1e}.\n", f.rel_l2);
}

std::string step_section(const LadderRun& run, size_t i) {
  const LadderStep& step = run.steps[i];
  std::string point = step.point().empty() ? "by hand" : "`" + step.point() + "`";
  if (step.schedule == "adams2019") point = "by Halide";
  return fmt::format("## {}. {}\n\n{}.\n\n{}\n\nSchedule: {}. {}\n```\n{}```\n", i + 1, step.name,
                     step.change, step.reason, point, figures_line(run.figures.steps[i]),
                     run.compiled[i].loop_nest);
}

std::string all_sections(const LadderRun& run) {
  std::string text;
  for (size_t i = 0; i < run.steps.size(); ++i) text += (i ? "\n" : "") + step_section(run, i);
  return text;
}

/// The command that gives this page.
std::string command_of(const LadderRun& run) {
  const MeasureRequest& r = run.request;
  return fmt::format(
      "build/gatefold-ladder --variant {} --shape {} --rows {} --dtype {} --threads {} \\\n"
      "  --target {} --schedule '{}' --seconds {:g}{} --markdown docs/schedule_ladder.md",
      r.ffn.variant.name, r.ffn.shape.text(), r.rows, info(r.ffn.dtype).name, r.threads,
      info(r.target).name, run.schedule, run.seconds,
      run.steps.size() > 6 ? " --autoscheduler" : "");
}

void replace(std::string& text, const std::string& mark, const std::string& part) {
  const size_t at = text.find(mark);
  if (at == std::string::npos) fail("the page's template has no " + mark);
  text.replace(at, mark.size(), part);
}

}  // namespace

bool LadderRun::ok() const {
  return std::all_of(figures.steps.begin(), figures.steps.end(),
                     [](const StepFigures& f) { return f.ok; });
}

std::string ladder_text(const LadderRun& run) {
  return what_ran(run) + roof_line(run) + "Origin of the shipped point: " + run.origin + ".\n\n" +
         table_of(run) + "\n" + all_sections(run);
}

std::string ladder_page(const LadderRun& run) {
  std::string page = kPageTemplate;
  replace(page, "{{command}}", command_of(run));
  replace(page, "{{run}}\n", what_ran(run) + roof_line(run));
  replace(page, "{{origin}}", run.origin);
  replace(page, "{{table}}\n", table_of(run));
  replace(page, "{{steps}}\n", all_sections(run));
  return page;
}

}  // namespace gatefold
