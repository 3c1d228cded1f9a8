#include "generator/mlir/tensor_core_point.h"

#include <algorithm>
#include <charconv>
#include <sstream>

#include "generator/mlir/tile.h"
#include "spec/error.h"
#include "spec/occupancy.h"

namespace gatefold {
namespace {

constexpr const char* kWhat = "tensor-core point";

int parse_number(std::string_view word, size_t equals) {
  int number = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data() + equals + 1, end, number);
  if (error != std::errc() || stop != end || number < 1) {
    fail_usage(std::string(kWhat) + ": '" + std::string(word) + "', wanted a number of 1 or more");
  }
  return number;
}

bool power_of_two_within(int value, int least, int most) {
  return value >= least && value <= most && (value & (value - 1)) == 0;
}

std::string found(const char* what, int64_t value, const std::string& wanted) {
  return std::string(what) + " is " + std::to_string(value) + ", wanted " + wanted;
}

std::string multiple(int64_t of) { return "a multiple of " + std::to_string(of); }

using Reason = std::optional<std::string>;

Reason why_bad_numbers(const TensorCorePoint& p) {
  if (!power_of_two_within(p.bm, 16, 256)) return found("bm", p.bm, "16, 32, 64, 128 or 256");
  if (!power_of_two_within(p.bn, 32, 256)) return found("bn", p.bn, "32, 64, 128 or 256");
  if (!power_of_two_within(p.bk, 32, 64)) return found("bk", p.bk, "32 or 64");
  if (p.stages < 2 || p.stages > 8) return found("stages", p.stages, "2 to 8");
  if (!power_of_two_within(p.warps_m, 1, 32)) return found("warps_m", p.warps_m, "1, 2, 4 … 32");
  if (!power_of_two_within(p.warps_n, 1, 32)) return found("warps_n", p.warps_n, "1, 2, 4 … 32");
  if (p.split_k > 64) return found("split_k", p.split_k, "at most 64");
  return {};
}

/// Of one product, whose name the reason begins with.
Reason why_bad_tile(const GemmTile& t, int capability) {
  const int threads = t.threads();
  if (threads > 1024) return found("threads", threads, "at most 1024");
  if (t.bm % (16 * t.warps_m)) return found("bm", t.bm, multiple(16 * t.warps_m));
  if (t.bn % (16 * t.warps_n)) return found("bn", t.bn, multiple(16 * t.warps_n));
  for (const int chunks : {t.bm * t.row_chunks(), t.bn * t.row_chunks(), t.bm * t.bn / kChunk}) {
    if (chunks % threads) return found("chunks of a tile", chunks, multiple(threads));
  }
  const int most = most_shared_bytes(capability);
  if (t.shared_bytes() > most) {
    return found("shared memory", t.shared_bytes(), "at most " + std::to_string(most) + " bytes");
  }
  // A thread has at most 255, and a multiprocessor 65536 that it deals out by eights.
  const int registers = std::min(255, 65536 / threads / 8 * 8);
  if (estimated_registers(t) > registers) {
    return found("registers", estimated_registers(t), "at most " + std::to_string(registers));
  }
  return {};
}

int parts_of_k(const KernelSpec& kernel, const TensorCorePoint& p) {
  // About one for each multiprocessor of a large board (108 of an A100, 132 of an H100).
  constexpr int64_t kBlocks = 128;
  const int64_t d_model = kernel.ffn.shape.d_model == Shape::kAny ? 4096 : kernel.ffn.shape.d_model;
  const int64_t columns = down_tile(kernel, p).bn;
  const int64_t tiles = (d_model + columns - 1) / columns;
  const int64_t d_ff = kernel.ffn.shape.d_ff;
  // A part shorter than this has more to do with its partial sums than with its products.
  const int64_t longest = d_ff == Shape::kAny ? 8 : std::max<int64_t>(1, d_ff / (8 * p.bk));
  int parts = 1;
  while (parts < 8 && tiles * parts < kBlocks && 2 * parts <= longest) parts *= 2;
  return parts;
}

}  // namespace

std::string TensorCorePoint::text() const {
  std::string out;
  for (const TensorCoreTunable& t : kTensorCoreTunables) {
    out += (out.empty() ? "" : " ") + std::string(t.name) + "=" + std::to_string(this->*t.value);
  }
  return out;
}

TensorCorePoint parse_tensor_core_point(std::string_view text) {
  TensorCorePoint point;
  std::array<bool, kTensorCoreTunables.size()> seen = {};
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    const size_t equals = std::min(word.find('='), word.size());
    const auto t = std::find_if(kTensorCoreTunables.begin(), kTensorCoreTunables.end(),
                                [&](const auto& k) { return word.substr(0, equals) == k.name; });
    if (t == kTensorCoreTunables.end()) {
      fail_usage(std::string(kWhat) + ": unknown name in '" + word + "'");
    }
    bool& was_seen = seen[size_t(t - kTensorCoreTunables.begin())];
    if (was_seen) fail_usage(std::string(kWhat) + ": '" + t->name + "' stands twice");
    was_seen = true;
    point.*t->value = parse_number(word, std::min(equals, word.size() - 1));
  }
  for (size_t i = 0; i < seen.size(); ++i) {
    if (!seen[i]) fail_usage(std::string(kWhat) + ": no " + kTensorCoreTunables[i].name + "=…");
  }
  return point;
}

int compute_capability(const std::string& target) {
  static const std::string prefix = "cuda-sm";
  int capability = 0;
  if (target.starts_with(prefix)) {
    std::from_chars(target.data() + prefix.size(), target.data() + target.size(), capability);
  }
  if (capability < 80) {
    fail_usage("--target: '" + target + "' has no tensor cores that this generator knows, " +
               "wanted cuda-sm80 or cuda-sm90");
  }
  return capability;
}

int most_shared_bytes(int capability) {
  return static_cast<int>(multiprocessor_limits(capability).shared_bytes_of_block);
}

std::optional<std::string> why_no_tensor_cores(const KernelSpec& kernel) {
  const FfnSpec& ffn = kernel.ffn;
  const Packing& p = kernel.packing;
  if (ffn.dtype == DType::f32)
    return "dtype is f32, wanted bf16 or f16: tensor cores multiply those";
  if (ffn.act() != ffn.dtype) {
    return "x and y are in " + info(ffn.act()).name + ", wanted " + info(ffn.dtype).name +
           ": tensor cores multiply two matrices of one type";
  }
  if (ffn.accumulate != DType::f32)
    return "sums are in " + info(ffn.accumulate).name + ", wanted f32";
  if (p.panel != 32 && p.panel != 64) return found("packing: panel", p.panel, "32 or 64");
  if (p.pair != kChunk) return found("packing: pair", p.pair, std::to_string(kChunk));
  const int k_unit = p.pair * p.k_step * p.k_lines;
  if (k_unit % 32) return found("packing: padding of k", k_unit, multiple(32));
  // The hidden layer has the columns of the gate/up panels, which the down projection reads as its
  // k.
  if (p.panel * p.group % k_unit) {
    return found("packing: columns of a group", p.panel * p.group, multiple(k_unit));
  }
  return {};
}

std::optional<std::string> why_illegal(const KernelSpec& kernel, const TensorCorePoint& point,
                                       int capability) {
  if (Reason reason = why_no_tensor_cores(kernel)) return reason;
  if (Reason reason = why_bad_numbers(point)) return reason;
  if (Reason reason = why_bad_tile(hidden_tile(kernel, point), capability)) {
    return "gate/up: " + *reason;
  }
  if (Reason reason = why_bad_tile(down_tile(kernel, point), capability)) {
    return "down: " + *reason;
  }
  return {};
}

std::vector<TensorCorePoint> legal_tensor_core_points(const KernelSpec& kernel, int capability) {
  // In the order of kTensorCoreTunables.
  static const std::vector<std::vector<int>> axes = {
      {16, 32, 64, 128, 256}, {32, 64, 128, 256}, {32, 64},        {2, 3, 4, 5, 6},
      {1, 2, 4, 8},           {1, 2, 4, 8},       {1, 2, 4, 8, 16}};
  std::vector<TensorCorePoint> points = {{}};
  for (size_t i = 0; i < axes.size(); ++i) {
    std::vector<TensorCorePoint> longer;
    for (const TensorCorePoint& point : points) {
      for (const int value : axes[i]) {
        longer.push_back(point);
        longer.back().*kTensorCoreTunables[i].value = value;
      }
    }
    points = std::move(longer);
  }
  std::erase_if(points, [&](const auto& p) { return why_illegal(kernel, p, capability); });
  return points;
}

TensorCorePoint default_tensor_core_point(const KernelSpec& kernel) {
  const int64_t rows = kernel.rows.tuned_rows;
  TensorCorePoint point;
  if (rows <= 16) {
    point = {.bm = 16, .bn = 64, .bk = 64, .stages = 4, .warps_m = 1, .warps_n = 4, .split_k = 1};
  } else if (rows <= 64) {
    point = {.bm = 64, .bn = 64, .bk = 64, .stages = 3, .warps_m = 2, .warps_n = 2, .split_k = 1};
  }
  if (rows <= 64) point.split_k = parts_of_k(kernel, point);
  return point;
}

}  // namespace gatefold
