#include "tuning/library_plan.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "schedules/cuda_space.h"
#include "schedules/space.h"
#include "spec/error.h"
#include "tuning/host.h"
#include "tuning/model_schedule.h"
#include "tuning/winners.h"

namespace gatefold {
namespace {

using Kernels = std::vector<LibraryKernel>;

std::optional<std::string> why_not_emitted(const LibraryKernel& kernel) {
  if (!kernel.tensor_cores) return why_illegal(kernel.spec);
  const int capability = compute_capability(info(kernel.spec.target).name);
  return why_illegal(kernel.spec, *kernel.tensor_cores, capability);
}

/// The first kernel that cannot be emitted, and why.
std::optional<std::string> first_illegal(const Kernels& kernels) {
  for (const LibraryKernel& kernel : kernels) {
    if (const auto reason = why_not_emitted(kernel))
      return kernel_name(kernel.spec) + ": " + *reason;
  }
  return std::nullopt;
}

/// Whether multiplying takes longer than reading the weights, and tensor cores can do it.
bool is_for_tensor_cores(const KernelSpec& k) {
  return info(k.target).device == Device::cuda && k.rows.tuned_rows > device::kFewRows &&
         !why_no_tensor_cores(k);
}

/// Gives what was not chosen by anybody to tensor cores. They read the weights as Halide's kernels
/// for CUDA pack them, so that a target still has one packing.
void use_tensor_cores(const LibraryRequest& request, Schedule& schedule) {
  for (LibraryKernel& kernel : schedule.kernels) {
    if (kernel.record.origin != KernelRecord{}.origin || !is_for_tensor_cores(kernel.spec))
      continue;
    if (!request.tensor_cores) {
      schedule.notes.push_back(
          "no kernels for tensor cores, since gatefold-emit-mlir is not beside this program: build "
          "it where MLIR 22 is installed");
      return;
    }
    kernel.tensor_cores = default_tensor_core_point(kernel.spec);
  }
}

Kernels kernels_at(const LibraryRequest& request, Target target, const Packing& packing) {
  Kernels kernels;
  for (const RowBucket& rows : row_buckets(request.rows)) {
    LibraryKernel kernel;
    kernel.spec.ffn = request.ffn;
    kernel.spec.target = target;
    kernel.spec.rows = rows;
    kernel.spec.packing = packing;
    kernel.spec.point = parse_point(request.schedule, default_point(kernel.spec, request.cpu));
    kernel.record.origin = kernel.record.match = "given";
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

/// Under the first packing where the given point is legal in all buckets.
Schedule given_schedule(const LibraryRequest& request, Target target) {
  std::string reason;
  for (const Packing& packing : legal_packings(request.ffn, target)) {
    Kernels kernels = kernels_at(request, target, packing);
    const auto illegal = first_illegal(kernels);
    if (!illegal) return {std::move(kernels), {}};
    if (reason.empty()) reason = *illegal;
  }
  fail_usage("--schedule: '" + request.schedule + "' is not legal for " + reason);
}

/// The winners of this CPU before those of others; a library for elsewhere is still a wish. With
/// a profile of another CPU than this one, those of its micro-architecture come first.
Schedule tuned_schedule(const LibraryRequest& request, const std::vector<WinnerSet>& sets,
                        Target target) {
  WinnerQuery query;
  query.ffn = request.ffn;
  query.target = target;
  query.any_cpu = true;
  if (request.cpu.name == kHostProfile) {
    query.cpu = host_cpu_name();
    query.micro_architecture = micro_architecture_of(query.cpu);
  } else {
    query.micro_architecture = micro_architecture_of_profile(request.cpu.name);
  }
  return schedule_from_winners(sets, query, request.rows, request.cpu);
}

/// A point always holds a name=value with a known name; other words with '=' may be files.
bool is_point(const std::string& schedule) {
  const std::string first = schedule.substr(0, schedule.find('='));
  const auto names = [&](const Tunable& t) { return first == t.name; };
  return first != schedule && (first == "fusion" || schedule.find('/') == std::string::npos ||
                               std::any_of(kTunables.begin(), kTunables.end(), names));
}

Schedule schedule_for(const LibraryRequest& request, Target target) {
  if (request.schedule == "default") {
    return default_schedule(request.ffn, target, request.rows, request.cpu);
  }
  if (request.schedule == "model" && info(target).device != Device::cpu) {
    return {default_schedule(request.ffn, target, request.rows, request.cpu).kernels,
            {"default schedules, since the cost model knows CPUs only"}};
  }
  if (request.schedule == "model") {
    return model_schedule(request.ffn, target, request.rows, request.cpu, request.check);
  }
  if (request.schedule == "tuned") return tuned_schedule(request, shipped_winners(), target);
  if (is_point(request.schedule)) return given_schedule(request, target);
  return tuned_schedule(request, load_winners(request.schedule), target);
}

}  // namespace

std::string default_library_name(const FfnSpec& ffn) {
  return "ffn_" + ffn.variant.name + "_" + ffn.dtypes() + "_" + ffn.shape.text() + name_suffix(ffn);
}

PlannedLibrary plan_library(const LibraryRequest& request) {
  PlannedLibrary planned;
  planned.plan.name = request.name.empty() ? default_library_name(request.ffn) : request.name;
  planned.plan.ffn = request.ffn;
  for (const Target target : request.targets) {
    Schedule schedule = schedule_for(request, target);
    use_tensor_cores(request, schedule);
    std::move(schedule.kernels.begin(), schedule.kernels.end(),
              std::back_inserter(planned.plan.kernels));
    for (const std::string& note : schedule.notes)
      planned.notes.push_back(info(target).name + ": " + note);
  }
  if (const auto illegal = first_illegal(planned.plan.kernels))
    fail_usage("cannot generate " + *illegal);
  return planned;
}

}  // namespace gatefold
