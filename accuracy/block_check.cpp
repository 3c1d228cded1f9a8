#include "accuracy/block_check.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "accuracy/edge_check.h"
#include "accuracy/guarded_output.h"
#include "runtime/reference/compare.h"

namespace gatefold {
namespace {

/// What one call gave.
struct Output {
  std::string kernel, point;
  std::vector<uint8_t> y;
  std::string complaint;
};

std::string complaint(gf_status status) {
  return status == GF_OK ? "" : std::string(gf_status_name(status)) + ": " + gf_last_error();
}

/// With the residual beside y, and again with it in y's own memory, which must give the same bits.
std::string run_with_residual(gf_ffn* block, const AccuracyCase& c, const gf_rows& x,
                              const FfnSpec& ffn, GuardedOutput& output) {
  std::vector<uint8_t> residual = stored_as(ffn.act(), c.residual);
  const gf_rows added = dense_rows(residual.data(), ffn.act(), c.rows, x.cols);
  const gf_rows y = output.rows();
  const std::string beside = complaint(gf_ffn_run_residual(block, &x, &added, &y));
  if (!beside.empty()) return beside;
  const gf_status in_place = gf_ffn_run_residual(block, &x, &added, &added);
  if (in_place != GF_OK) return complaint(in_place);
  const bool same = std::memcmp(residual.data(), output.data(), output.bytes()) == 0;
  return same ? "" : "the residual in y's memory gives other bits than beside it";
}

Output run_case(gf_ffn* block, const AccuracyCase& c, const FfnSpec& ffn) {
  std::vector<uint8_t> storage = stored_as(ffn.act(), c.x);
  const gf_rows x = dense_rows(storage.data(), ffn.act(), c.rows, ffn.shape.d_model);
  GuardedOutput output(c.rows, x.cols, x.dtype);
  output.poison();
  const gf_rows y = output.rows();
  Output out;
  out.complaint = ffn.residual ? run_with_residual(block, c, x, ffn, output)
                               : complaint(gf_ffn_run(block, &x, &y));
  const gf_report report = report_of(block);
  out.kernel = report.kernel ? report.kernel : "";
  out.point = report.point ? report.point : "";
  out.y.assign(output.data(), output.data() + output.bytes());
  // Values that are not finite are judged by the reference where they may be due.
  const bool finite = c.values == "unit" || c.values == "wide";
  if (out.complaint.empty() && finite) out.complaint = output.complaint();
  return out;
}

/// Checks one block on one target.
class BlockCheck {
 public:
  BlockCheck(const LoadedLibrary& library, const FfnData& data, const std::string& target,
             const std::vector<AccuracyCase>& cases, bool edges)
      : library_(library),
        data_(data),
        ffn_(data.ffn()),
        target_(target),
        cases_(cases),
        edges_(edges) {}

  std::vector<AccuracyCell> run(const std::set<int>& thread_counts) {
    for (const int threads : thread_counts)
      run_with(threads, edges_ && threads == *thread_counts.rbegin());
    return std::move(cells_);
  }

 private:
  void run_with(int threads, bool with_edges) {
    const Block block = library_.create(ffn_.shape, data_.weights(), threads, target_);
    const auto edges =
        with_edges ? std::make_unique<EdgeCheck>(library_, data_, target_, threads) : nullptr;
    std::map<int64_t, Output> plain;  // of this thread count, by rows
    for (size_t i = 0; i < cases_.size(); ++i) {
      Output out = run_case(block.get(), cases_[i], ffn_);
      if (edges && out.complaint.empty()) out.complaint = edges->complaint(cases_[i], out.y);
      judge_once(i, out, threads, plain);
      if (cases_[i].values == "unit") plain[cases_[i].rows] = std::move(out);
    }
  }

  /// A kernel's first output of a case is compared with the reference, the others with the first.
  void judge_once(size_t index, const Output& out, int threads,
                  const std::map<int64_t, Output>& plain) {
    const auto key = std::make_pair(index, out.kernel + " " + out.point);
    const auto seen = first_.find(key);
    if (seen == first_.end()) {
      cells_.push_back(judge(cases_[index], out, threads, plain));
      first_[key] = {cells_.size() - 1, out.y};
      return;
    }
    AccuracyCell& cell = cells_[seen->second.first];
    if (!cell.ok) return;
    const std::string many = std::to_string(threads) + " threads";
    if (out.y != seen->second.second) {
      cell.note = many + " give other bits than " + std::to_string(cell.threads);
    } else if (!out.complaint.empty()) {
      cell.note = many + ": " + out.complaint;
    }
    cell.ok = cell.note.empty();
  }

  AccuracyCell judge(const AccuracyCase& c, const Output& out, int threads,
                     const std::map<int64_t, Output>& plain) const {
    AccuracyCell cell{.kernel = out.kernel,
                      .target = target_,
                      .shape = ffn_.shape,
                      .rows = c.rows,
                      .values = c.values,
                      .threads = threads,
                      .note = out.complaint};
    const bool relative = std::min(ffn_.shape.d_model, ffn_.shape.d_ff) >= kRelativeFrom;
    const Tolerance allowed = tolerance_of(out.point);
    cell.tolerance = relative ? allowed.rel_l2 : allowed.scaled;
    const Comparison found = compare(values_of(out.y, c.compared), c.expected, allowed);
    cell.max_abs = found.max_abs;
    cell.rel_l2 = found.rel_l2;
    cell.scaled = found.scaled;
    if (cell.note.empty() && !within(allowed, c, found)) {
      cell.note = "output " + position(c, found.worst_index) + " is past its tolerance";
    }
    if (cell.note.empty()) cell.note = leak(c, out, plain);
    cell.ok = cell.note.empty();
    return cell;
  }

  /// Wide values reach the activation's tails, where a hidden value is small against what the
  /// rounding of its argument does to it. Each output's own bound knows that, the norms do not:
  /// with a single hidden value (d_ff = 1) they see nothing else.
  bool within(const Tolerance& allowed, const AccuracyCase& c, const Comparison& found) const {
    if (c.values == "wide") return found.worst <= 1;
    return acceptable(found, allowed, ffn_.shape.d_model, ffn_.shape.d_ff);
  }

  /// Kernels of one target may differ in it: those on tensor cores round the hidden layer.
  Tolerance tolerance_of(const std::string& point) const {
    const DType hidden = hidden_dtype(ffn_, target_named(target_).target, point);
    return tolerance(ffn_.act(), hidden, ffn_.shape.d_model, ffn_.shape.d_ff, ffn_.accumulate);
  }

  /// Whether a special row changed another one.
  std::string leak(const AccuracyCase& c, const Output& out,
                   const std::map<int64_t, Output>& plain) const {
    if (c.untouched.empty()) return "";
    const Output& clean = plain.at(c.rows);
    const size_t bytes = static_cast<size_t>(ffn_.shape.d_model * info(ffn_.act()).bytes);
    for (const int64_t row : c.untouched) {
      const size_t begin = static_cast<size_t>(row) * bytes;
      if (std::memcmp(out.y.data() + begin, clean.y.data() + begin, bytes) != 0) {
        return "NaN, inf or huge values of other rows changed row " + std::to_string(row);
      }
    }
    return "";
  }

  std::vector<float> values_of(const std::vector<uint8_t>& y,
                               const std::vector<int64_t>& rows) const {
    std::vector<float> values;
    for (const int64_t row : rows) {
      for (int64_t c = 0; c < ffn_.shape.d_model; ++c) {
        const int64_t index = row * ffn_.shape.d_model + c;
        values.push_back(loaded_from(ffn_.act(), y.data() + index * info(ffn_.act()).bytes));
      }
    }
    return values;
  }

  std::string position(const AccuracyCase& c, int64_t index) const {
    if (index < 0) return "of the call";
    const size_t row = static_cast<size_t>(index / ffn_.shape.d_model);
    return "(" + std::to_string(c.compared.at(row)) + ", " +
           std::to_string(index % ffn_.shape.d_model) + ")";
  }

  const LoadedLibrary& library_;
  const FfnData& data_;
  const FfnSpec& ffn_;
  std::string target_;
  const std::vector<AccuracyCase>& cases_;
  bool edges_;
  std::map<std::pair<size_t, std::string>, std::pair<size_t, std::vector<uint8_t>>> first_;
  std::vector<AccuracyCell> cells_;
};

}  // namespace

std::vector<AccuracyCell> check_block(const LoadedLibrary& library, const FfnData& data,
                                      const std::string& target,
                                      const std::vector<AccuracyCase>& cases,
                                      const std::set<int>& thread_counts, bool edges) {
  return BlockCheck(library, data, target, cases, edges).run(thread_counts);
}

}  // namespace gatefold
