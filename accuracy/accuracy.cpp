#include "accuracy/accuracy.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "accuracy/accuracy_cases.h"
#include "accuracy/block_check.h"
#include "accuracy/known_values.h"
#include "runtime/cuda/device.h"
#include "spec/error.h"

namespace gatefold {
namespace {

/// A larger call would take longer than it tells.
constexpr double kMostFlops = 2e12;
/// Elements of x and y of one call.
constexpr int64_t kMostElements = int64_t{1} << 28;

/// The reason that one is not usable.
std::string why_not_here(const std::string& target) {
  const int wanted = cuda::capability_of(target);
  if (wanted == 0) return "this CPU cannot run it";
  cuda::DeviceInfo device;
  if (cuda::find_device(0, &device) == GF_OK) cuda::check_capability(device, wanted, "CUDA");
  return gf_last_error();
}

/// Those that run here; the others become notes.
std::vector<std::string> usable_targets(const LoadedLibrary& library, const std::string& only,
                                        std::vector<std::string>& notes) {
  if (only == "host" || only == "cuda") return {library.target_in_use(only)};
  std::vector<std::string> usable;
  std::string all, reasons;
  for (const std::string& target : library.targets()) {
    all += (all.empty() ? "" : ", ") + target;
    if (!only.empty() && target != only) continue;
    if (gf_isa_usable(target.c_str())) {
      usable.push_back(target);
    } else {
      const std::string reason = target + ": " + why_not_here(target);
      reasons += (reasons.empty() ? " (" : "; ") + reason;
      notes.push_back(reason + "; its kernels were not checked");
    }
  }
  if (!reasons.empty()) reasons += ")";
  const std::string file = library.manifest().path.string();
  if (usable.empty() && !only.empty()) {
    fail_unavailable("--target: '" + only + "', but " + file + " holds " + all +
                     ", wanted one of them that runs here" + reasons);
  }
  if (usable.empty())
    fail_unavailable(file + ": holds " + all + "; none of them runs here" + reasons);
  return usable;
}

/// The library's sizes, those that it leaves open taken from the wanted shapes.
std::vector<Shape> shapes_to_check(const Shape& fixed, const std::vector<Shape>& wanted) {
  std::vector<Shape> shapes;
  for (Shape shape : wanted.empty() ? default_check_shapes() : wanted) {
    if (fixed.d_model != Shape::kAny) shape.d_model = fixed.d_model;
    if (fixed.d_ff != Shape::kAny) shape.d_ff = fixed.d_ff;
    if (std::find(shapes.begin(), shapes.end(), shape) == shapes.end()) shapes.push_back(shape);
  }
  return shapes;
}

int64_t most_rows(const FfnSpec& ffn) {
  const double flops_per_row =
      2.0 * ffn.variant.matrices() * static_cast<double>(ffn.shape.d_model * ffn.shape.d_ff);
  return std::min(static_cast<int64_t>(kMostFlops / flops_per_row),
                  kMostElements / ffn.shape.d_model);
}

/// Bytes that the check of a block takes at least: its weights in f32 and packed, and for the calls
/// at the edges of memory the same once more.
double bytes_to_check(const FfnSpec& ffn, bool thorough) {
  const double weights = static_cast<double>(ffn.variant.matrices()) *
                         static_cast<double>(ffn.shape.d_model) *
                         static_cast<double>(ffn.shape.d_ff);
  return weights * (sizeof(float) + static_cast<double>(info(ffn.dtype).bytes)) *
         (thorough ? 2 : 1);
}

/// What this process may have.
double bytes_here() {
  const double all =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  rlimit limit = {};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return all;
  return std::min(all, static_cast<double>(limit.rlim_cur));
}

std::string gib_text(double bytes) {
  const double tenths = std::ceil(bytes / (1 << 30) * 10);
  std::string text = std::to_string(static_cast<int64_t>(tenths) / 10);
  return text + "." + std::to_string(static_cast<int64_t>(tenths) % 10) + " GiB";
}

/// One and two threads, and those that kernels were tuned for: only so are these reached.
std::set<int> thread_counts(const std::vector<const gf_kernel*>& kernels) {
  std::set<int> counts = {1, 2};
  for (const gf_kernel* kernel : kernels) {
    if (kernel->tuned_threads > 0) counts.insert(kernel->tuned_threads);
  }
  return counts;
}

class Check {
 public:
  Check(const LoadedLibrary& library, const AccuracyOptions& options)
      : library_(library), options_(options) {}

  AccuracyResult run() {
    const auto targets = usable_targets(library_, options_.target, result_.notes);
    const auto shapes = shapes_to_check(library_.ffn().shape, options_.shapes);
    for (const Shape& shape : shapes) check_memory(shape);
    for (const Shape& shape : shapes) check_shape(shape, targets);
    for (const std::string& target : targets) {
      note_unreached(target);
      if (options_.thorough) append(check_known_values(library_, target));
    }
    result_.ok = unreached_ == 0 && std::all_of(result_.cells.begin(), result_.cells.end(),
                                                [](const AccuracyCell& cell) { return cell.ok; });
    return std::move(result_);
  }

 private:
  /// Before the first one is computed: it would be lost.
  void check_memory(const Shape& shape) const {
    FfnSpec ffn = library_.ffn();
    ffn.shape = shape;
    const double needed = bytes_to_check(ffn, options_.thorough), here = bytes_here();
    if (needed <= here) return;
    const std::string what = "'" + shape.text() + "' takes " + gib_text(needed) +
                             " of memory or more, wanted at most the " + gib_text(here) +
                             " that there are here";
    if (!options_.shapes.empty()) fail_usage("--shapes: " + what);
    fail(library_.manifest().path.string() + ": to check " + what);
  }

  void check_shape(const Shape& shape, const std::vector<std::string>& targets) {
    FfnSpec ffn = library_.ffn();
    ffn.shape = shape;
    const FfnData data(ffn, options_.seed, gf_default_threads());
    for (const std::string& target : targets) {
      if (options_.progress) options_.progress(target + " " + shape.text());
      const auto kernels = library_.kernels(target);
      // Targets share their buckets, so that the reference is computed for the first one only.
      if (cases_shape_ != shape) {
        cases_ = accuracy_cases(data, rows_to_check(kernels, wanted_rows(), most_rows(ffn)));
        cases_shape_ = shape;
      }
      for (AccuracyCell& cell :
           check_block(library_, data, target, cases_, thread_counts(kernels), options_.thorough)) {
        reached_.insert(cell.kernel);
        result_.cells.push_back(std::move(cell));
      }
    }
  }

  const std::vector<int64_t>& wanted_rows() const {
    return options_.rows.empty() ? default_check_rows() : options_.rows;
  }

  void append(std::vector<AccuracyCell> cells) {
    std::move(cells.begin(), cells.end(), std::back_inserter(result_.cells));
  }

  void note_unreached(const std::string& target) {
    for (const gf_kernel* kernel : library_.kernels(target)) {
      if (reached_.contains(kernel->name)) continue;
      ++unreached_;
      result_.notes.push_back(std::string(kernel->name) + ": no call reached it");
    }
  }

  const LoadedLibrary& library_;
  const AccuracyOptions& options_;
  std::vector<AccuracyCase> cases_;
  Shape cases_shape_;
  std::set<std::string> reached_;
  int unreached_ = 0;
  AccuracyResult result_;
};

}  // namespace

const std::vector<int64_t>& default_check_rows() {
  static const std::vector<int64_t> rows = {0, 1, 2, 3, 5, 17, 64};
  return rows;
}

const std::vector<Shape>& default_check_shapes() {
  static const std::vector<Shape> shapes = {{1, 37}, {37, 1}, {85, 341}, {512, 1365}, {384, 1536}};
  return shapes;
}

AccuracyResult check_accuracy(const LoadedLibrary& library, const AccuracyOptions& options) {
  return Check(library, options).run();
}

}  // namespace gatefold
