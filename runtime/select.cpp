#include "runtime/select.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "runtime/cpu_features.h"
#include "runtime/status.h"
#include "runtime/table.h"

namespace gatefold {
namespace {

std::string targets_of(const gf_kernel_table& table) {
  std::string names;
  for (int i = 0; i < table.kernel_count; ++i) {
    const char* target = kernel_at(table, i).target;
    if (i > 0 && std::strcmp(target, kernel_at(table, i - 1).target) == 0) continue;
    names += (names.empty() ? "" : ", ") + std::string(target);
  }
  return names;
}

/// The compute capabilities of a table's kernels for CUDA; 0: none.
struct CudaTargets {
  int lowest = 0;                ///< of those that may be used
  int best = 0;                  ///< of those that also run
  int highest = 0;               ///< of all
  const char* target = nullptr;  ///< the best one's name
};

/// `named` (0: any) may be used, what needs at most `most` runs.
CudaTargets cuda_targets(const gf_kernel_table& table, int named, int most) {
  CudaTargets found;
  for (int i = 0; i < table.kernel_count; ++i) {
    const char* target = kernel_at(table, i).target;
    const int capability = cuda::capability_of(target);
    found.highest = std::max(found.highest, capability);
    if (capability == 0 || (named != 0 && capability != named)) continue;
    if (found.lowest == 0 || capability < found.lowest) found.lowest = capability;
    if (capability > most || capability <= found.best) continue;
    found.best = capability;
    found.target = target;
  }
  return found;
}

gf_status choose_best(const gf_kernel_table& table, TargetChoice* choice) {
  int best = -1, offered = -1;
  for (int i = 0; i < table.kernel_count; ++i) {
    const char* target = kernel_at(table, i).target;
    const int rank = target_rank(target);
    offered = std::max(offered, rank);
    if (rank <= best || !target_usable(target)) continue;
    best = rank;
    choice->target = target;
  }
  if (best < 0) {
    return failed(
        GF_UNAVAILABLE, "%s: has kernels for %s, none of which this CPU runs (it runs %s)%s",
        table.library, targets_of(table).c_str(), *best_target() ? best_target() : "none",
        cuda_targets(table, 0, 0).highest ? "; those for CUDA are used if isa is 'cuda'" : "");
  }
  choice->lower_isa = best < offered;
  return GF_OK;
}

constexpr const char* kVariable = "GATEFOLD_ISA";

bool is_automatic(const char* wanted) {
  return !wanted || !*wanted || std::strcmp(wanted, "host") == 0;
}

bool is_for_cuda(const char* wanted) {
  return std::strcmp(wanted, "cuda") == 0 || cuda::capability_of(wanted) > 0;
}

gf_status not_usable(const char* wanted, const char* asked_by) {
  const char* why = target_rank(wanted) < 0 ? "is not known" : "cannot run on this CPU";
  return failed(GF_UNAVAILABLE, "%s: target '%s' %s (best here: %s)", asked_by, wanted, why,
                *best_target() ? best_target() : "none");
}

gf_status no_kernels(const gf_kernel_table& table, const char* wanted, const char* asked_by) {
  return failed(GF_UNAVAILABLE, "%s: %s has no kernels for target '%s' (it has %s)", asked_by,
                table.library, wanted, targets_of(table).c_str());
}

gf_status choose_named(const gf_kernel_table& table, const char* wanted, const char* asked_by,
                       TargetChoice* choice) {
  if (!target_usable(wanted)) return not_usable(wanted, asked_by);
  for (int i = 0; i < table.kernel_count; ++i) {
    const char* target = kernel_at(table, i).target;
    if (std::strcmp(target, wanted) != 0) continue;
    choice->target = target;
    return GF_OK;
  }
  return no_kernels(table, wanted, asked_by);
}

/// `wanted` is "cuda" or one of its targets.
gf_status choose_for_cuda(const gf_kernel_table& table, const char* wanted, const char* asked_by,
                          int ordinal, TargetChoice* choice) {
  const int named = cuda::capability_of(wanted);
  if (cuda_targets(table, named, 0).lowest == 0) return no_kernels(table, wanted, asked_by);
  cuda::DeviceInfo device;
  if (const gf_status status = cuda::find_device(ordinal, &device); status != GF_OK) {
    const std::string reason = gf_last_error();
    return failed(status, "%s: target '%s': %s", asked_by, wanted, reason.c_str());
  }
  const CudaTargets targets = cuda_targets(table, named, device.capability);
  if (!targets.target) return cuda::check_capability(device, targets.lowest, wanted);
  choice->target = targets.target;
  choice->lower_isa = named == 0 && targets.best < targets.highest;
  choice->device = device;
  return GF_OK;
}

/// Whether `a` fits `threads` better than `b`; ties go to the smaller count, untuned is last.
bool fits_better(const gf_kernel& a, const gf_kernel& b, int threads) {
  if ((a.tuned_threads == 0) != (b.tuned_threads == 0)) return a.tuned_threads != 0;
  const int da = std::abs(a.tuned_threads - threads), db = std::abs(b.tuned_threads - threads);
  return da != db ? da < db : a.tuned_threads < b.tuned_threads;
}

void add_kernel(std::vector<BucketChoice>& buckets, const gf_kernel& kernel, int threads) {
  for (BucketChoice& bucket : buckets) {
    if (bucket.rows_min != kernel.rows_min || bucket.rows_max != kernel.rows_max) continue;
    if (fits_better(kernel, *bucket.kernel, threads)) bucket.kernel = &kernel;
    return;
  }
  buckets.push_back({kernel.rows_min, kernel.rows_max, &kernel});
}

}  // namespace

gf_status choose_target(const gf_kernel_table& table, const char* wanted, TargetChoice* choice,
                        int cuda_device) {
  const char* asked_by = "isa";
  if (!wanted || !*wanted) {
    wanted = std::getenv(kVariable);
    asked_by = kVariable;
  }
  if (is_automatic(wanted)) return choose_best(table, choice);
  return is_for_cuda(wanted) ? choose_for_cuda(table, wanted, asked_by, cuda_device, choice)
                             : choose_named(table, wanted, asked_by, choice);
}

gf_status isa_in_environment() {
  const char* const wanted = std::getenv(kVariable);
  const bool known = is_automatic(wanted) || is_for_cuda(wanted) || target_rank(wanted) >= 0;
  return known ? GF_OK : not_usable(wanted, kVariable);
}

std::vector<BucketChoice> choose_kernels(const gf_kernel_table& table, const char* target,
                                         int threads) {
  std::vector<BucketChoice> buckets;
  for (int i = 0; i < table.kernel_count; ++i) {
    const gf_kernel& kernel = kernel_at(table, i);
    if (std::strcmp(kernel.target, target) == 0) add_kernel(buckets, kernel, threads);
  }
  std::stable_sort(
      buckets.begin(), buckets.end(),
      [](const BucketChoice& a, const BucketChoice& b) { return a.rows_min < b.rows_min; });
  return buckets;
}

int64_t distance_to_bucket(int64_t rows_min, int64_t rows_max, int64_t rows) {
  return rows < rows_min ? rows_min - rows : rows > rows_max ? rows - rows_max : 0;
}

const char* match_name(const gf_kernel_table& table, const TargetChoice& choice, bool in_bucket) {
  if (!in_bucket) return "nearest";
  if (choice.lower_isa) return "lower_isa";
  return table.d_model == 0 || table.d_ff == 0 ? "any" : "exact";
}

}  // namespace gatefold
