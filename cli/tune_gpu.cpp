#include "cli/tune_gpu.h"

#include <fmt/format.h>

#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "formats/atomic_file.h"
#include "gatefold/gatefold.h"
#include "tuning/gpu_schedule.h"
#include "tuning/ptxas.h"

namespace gatefold::cli {
namespace {

constexpr const char* kModelled = "times are the model's (origin model), nothing was measured";

Json json_of(const LaunchEstimate& l) {
  return {{"name", l.name},
          {"blocks", l.blocks},
          {"threads", l.block.threads},
          {"registers", l.block.registers},
          {"shared", l.block.shared_bytes},
          {"blocks_at_once", l.occupancy.blocks},
          {"warps_at_once", l.occupancy.warps},
          {"limited_by", l.occupancy.limit},
          {"waves", l.waves},
          {"bytes_in_flight", l.bytes_in_flight},
          {"model_ms", l.ms},
          {"bound", l.bound}};
}

Json json_of(const std::vector<GpuKernel>& leaders) {
  Json candidates = Json::array();
  for (const GpuKernel& k : leaders) {
    candidates.push_back({{"kernels", k.point.generator()},
                          {"point", k.point.text()},
                          {"registers_from", k.estimate.registers},
                          {"model_ms", k.estimate.ms}});
  }
  return candidates;
}

Json json_of(const GpuKernel& kernel, const GpuRanking& ranking, int top) {
  const GpuEstimate& e = kernel.estimate;
  Json launches = Json::array();
  for (const LaunchEstimate& l : e.launches) launches.push_back(json_of(l));
  const RowBucket& rows = kernel.point.kernel.rows;
  return {{"rows", rows.tuned_rows},
          {"rows_min", rows.rows_min},
          {"rows_max", rows.rows_max == RowBucket::kOpen ? Json() : Json(rows.rows_max)},
          {"kernels", kernel.point.generator()},
          {"point", kernel.point.text()},
          {"origin", kModelOrigin},
          {"points", ranking.points.size()},
          {"registers_from", e.registers},
          {"model_ms", e.ms},
          {"roof_ms", e.roof_ms},
          {"launches", launches},
          {"candidates", json_of(leaders_of(ranking, size_t(top)))}};
}

Json json_of(const GpuSchedule& schedule, const GpuProfile& gpu, const std::string& ptxas,
             int top) {
  Json kernels = Json::array(), refused = Json::array();
  for (size_t i = 0; i < schedule.kernels.size(); ++i) {
    kernels.push_back(json_of(schedule.kernels[i], schedule.rankings[i], top));
  }
  for (const auto& [about, r] : schedule.refused) {
    refused.push_back({{"about", about}, {"points", r.points}, {"example", r.example}});
  }
  const KernelSpec& first = schedule.kernels.at(0).point.kernel;
  return {{"gpu", gpu.name},
          {"target", info(first.target).name},
          {"packing", first.packing.text()},
          {"ptxas", ptxas.empty() ? Json() : Json(ptxas)},
          {"measured", false},
          {"kernels", kernels},
          {"refused", refused},
          {"notes", schedule.notes}};
}

void print_kernels(const GpuSchedule& schedule) {
  Table table({">rows", "kernels", ">points", ">model ms", ">roof ms", "registers by", "point"});
  for (size_t i = 0; i < schedule.kernels.size(); ++i) {
    const GpuKernel& k = schedule.kernels[i];
    table.add({std::to_string(k.point.kernel.rows.tuned_rows), k.point.generator(),
               std::to_string(schedule.rankings[i].points.size()), ms_text(k.estimate.ms),
               ms_text(k.estimate.roof_ms), k.estimate.registers, k.point.text()});
  }
  table.print();
}

void print_launches(const GpuSchedule& schedule) {
  Table table({">rows", "launch", ">blocks", ">threads", ">registers", ">at once", "limited by",
               ">waves", ">in flight", ">model ms", "bound by"});
  for (const GpuKernel& k : schedule.kernels) {
    for (const LaunchEstimate& l : k.estimate.launches) {
      table.add({std::to_string(k.point.kernel.rows.tuned_rows), l.name, std::to_string(l.blocks),
                 std::to_string(l.block.threads), std::to_string(l.block.registers),
                 std::to_string(l.occupancy.blocks), l.occupancy.limit,
                 fmt::format("{:.2f}", l.waves), bytes_text(int64_t(l.bytes_in_flight)),
                 ms_text(l.ms), l.bound});
    }
  }
  print_line("");
  table.print();
}

void print_leaders(const GpuSchedule& schedule, int top) {
  if (top == 0) return;
  Table table({">rows", "kernels", ">model ms", "registers by", "candidate"});
  for (const GpuRanking& ranking : schedule.rankings) {
    for (const GpuKernel& k : leaders_of(ranking, size_t(top))) {
      table.add({std::to_string(k.point.kernel.rows.tuned_rows), k.point.generator(),
                 ms_text(k.estimate.ms), k.estimate.registers, k.point.text()});
    }
  }
  print_line("");
  table.print();
}

void print_refused(const GpuSchedule& schedule) {
  if (schedule.refused.empty()) return;
  Table table({">refused", "because of", "for example"});
  for (const auto& [about, r] : schedule.refused) {
    table.add({std::to_string(r.points), about, r.example});
  }
  print_line("");
  table.print();
}

void print_schedule(const Spec& spec, const GpuSchedule& schedule, const GpuProfile& gpu, int top) {
  const KernelSpec& first = schedule.kernels.at(0).point.kernel;
  print_line(fmt::format("{} for {} ({}), {}: {}", describe(spec.ffn), gpu.board,
                         info(first.target).name, first.packing.text(), kModelled));
  print_kernels(schedule);
  print_launches(schedule);
  print_leaders(schedule, top);
  print_refused(schedule);
}

ResourceReader reader_with(const std::string& ptxas, const GpuProfile& gpu) {
  if (ptxas.empty()) return {};
  return read_by_assembling({.emitter = default_emitter(),
                             .ptxas = ptxas,
                             .capability = gpu.capability,
                             .jobs = gf_default_threads(),
                             .stop = &interrupt_flag()});
}

}  // namespace

int tune_for_gpu(const Spec& spec, Target target, const GpuOptions& o) {
  const GpuProfile& gpu = gpu_profile_named(o.gpu);
  const std::string ptxas = find_ptxas(o.ptxas);
  if (!o.export_file.empty()) const AtomicFile probe(o.export_file);
  Progress progress;
  progress.show("ranking points");
  GpuSchedule schedule = gpu_schedule(spec.ffn, target, spec.rows, gpu, reader_with(ptxas, gpu));
  throw_if_interrupted();
  progress.clear();
  if (ptxas.empty()) {
    schedule.notes.push_back(
        "registers are estimates and spills are not seen: no ptxas; wanted one "
        "on the PATH, --ptxas FILE or $GATEFOLD_PTXAS");
  }
  if (!o.export_file.empty()) {
    write_file_atomically(o.export_file, winners_json({gpu_winners(schedule, gpu)}));
  }
  if (o.json) {
    print_json(json_of(schedule, gpu, ptxas, o.top));
  } else {
    print_schedule(spec, schedule, gpu, o.top);
  }
  for (const std::string& note : schedule.notes) print_note(note);
  return 0;
}

}  // namespace gatefold::cli
