#include "tuning/weight_rotation.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "spec/error.h"
#include "tuning/host.h"

namespace gatefold {
namespace {

// More copies than this are of blocks so small that no application has them cold.
constexpr int64_t kMostCopies = 256;
constexpr size_t kMaxStreams = 32;  // what the runtime takes of one kernel
constexpr int kMostArguments = 2 + kMaxStreams + 6;
constexpr const char* kWhat = "weights for measuring";

/// What the call that is being made on this thread shall reach.
struct Forwarding {
  const Route* route = nullptr;
  int listed_streams = 0;
  int trailing = 0;  ///< biases, d_ff, residual and y
};
thread_local Forwarding t_forwarding;

int forward_call(void** args) {
  const Forwarding& f = t_forwarding;
  std::array<void*, kMostArguments> own;
  size_t count = 0;
  own[count++] = args[0];
  own[count++] = args[1];
  for (int position : f.route->streams) own[count++] = args[2 + position];
  for (int i = 0; i < f.trailing; ++i) own[count++] = args[2 + f.listed_streams + i];
  return f.route->kernel->call(own.data());
}

bool same(const gf_weight_stream& a, const gf_weight_stream& b) {
  return a.matrix == b.matrix && a.first == b.first && a.step == b.step;
}

bool same_layout(const gf_kernel& a, const gf_kernel& b) {
  return std::memcmp(&a.packing, &b.packing, sizeof a.packing) == 0 && a.word_code == b.word_code &&
         a.word_bits == b.word_bits && a.word_k == b.word_k && std::strcmp(a.target, b.target) == 0;
}

void require(gf_status status, const char* what) {
  if (status == GF_OK) return;
  fail(std::string(what) + ": " + gf_status_name(status) + ": " + gf_last_error());
}

int64_t packed_bytes_of(const gf_ffn* block) {
  gf_report report = {};
  report.struct_size = sizeof report;
  require(gf_ffn_report(block, &report), kWhat);
  return report.packed_weight_bytes;
}

}  // namespace

WeightRotation::WeightRotation(const gf_kernel_table& table, const gf_kernel& kernel,
                               const FfnData& data, const RotationOptions& options)
    : kernel_(kernel), table_(table) {
  list_streams(kernel, table.gated);
  fill_table();
  require(gf_library_link(&table_, &library_), kWhat);
  try {
    require(add_block(data, options), kWhat);
    packed_bytes_ = std::max<int64_t>(1, packed_bytes_of(blocks_.front()));
    if (options.cold) add_copies(data, options);
  } catch (...) {
    release();
    throw;
  }
}

WeightRotation::~WeightRotation() { release(); }

void WeightRotation::release() {
  for (gf_ffn* block : blocks_) gf_ffn_destroy(block);
  gf_library_close(library_);
}

/// The candidate's library may be closed before the rotation: nothing may point into it.
void WeightRotation::fill_table() {
  for (const char** text : {&table_.library, &table_.variant, &table_.dtype, &table_.halide_version,
                            &kernel_.name, &kernel_.target, &kernel_.point, &kernel_.origin}) {
    *text = texts_.emplace_back(*text).c_str();
  }
  kernel_.runner_up = nullptr;
  kernel_.rows_min = 1;
  kernel_.rows_max = INT64_MAX;
  kernel_.streams = streams_.data();
  kernel_.stream_count = static_cast<int32_t>(streams_.size());
  kernel_.call = forward_call;
  table_.struct_size = sizeof table_;
  table_.kernel_size = sizeof kernel_;
  table_.kernels = &kernel_;
  table_.kernel_count = 1;
}

/// The kernel's own streams, then those of every other step that divides the group, as long as the
/// runtime takes them.
void WeightRotation::list_streams(const gf_kernel& kernel, bool gated) {
  streams_.assign(kernel.streams, kernel.streams + kernel.stream_count);
  const auto missing = [&](const gf_weight_stream& s) {
    return std::none_of(streams_.begin(), streams_.end(),
                        [&](const gf_weight_stream& other) { return same(s, other); });
  };
  for (int step = 1; step <= kernel.packing.group; ++step) {
    if (kernel.packing.group % step != 0) continue;
    std::vector<gf_weight_stream> added;
    for (int matrix = gated ? GF_MATRIX_GATE : GF_MATRIX_UP; matrix <= GF_MATRIX_DOWN; ++matrix) {
      for (int first = 0; first < step; ++first) {
        const gf_weight_stream s = {static_cast<uint8_t>(matrix), static_cast<uint8_t>(first),
                                    static_cast<uint8_t>(step), 0};
        if (missing(s)) added.push_back(s);
      }
    }
    if (streams_.size() + added.size() > kMaxStreams) break;
    streams_.insert(streams_.end(), added.begin(), added.end());
  }
}

/// So many that the rotation is cold; fewer where memory ends.
void WeightRotation::add_copies(const FfnData& data, const RotationOptions& options) {
  const int64_t cold_bytes = cold_rotation_bytes();
  const int64_t wanted = std::max<int64_t>(2, (cold_bytes + packed_bytes_ - 1) / packed_bytes_);
  const int64_t most = std::min(kMostCopies, options.memory_bytes / packed_bytes_);
  while (copies() < std::min(wanted, most) && add_block(data, options) == GF_OK) {
  }
  cold_ = copies() * packed_bytes_ >= cold_bytes;
}

gf_status WeightRotation::add_block(const FfnData& data, const RotationOptions& options) {
  gf_ffn_desc desc = {};
  desc.struct_size = sizeof desc;
  desc.d_model = data.ffn().shape.d_model;
  desc.d_ff = data.ffn().shape.d_ff;
  gf_options settings = {};
  settings.struct_size = sizeof settings;
  settings.threads = options.threads;
  settings.isa = kernel_.target;
  const gf_ffn_weights weights = data.weights();
  gf_ffn* block = nullptr;
  const gf_status status = gf_ffn_create(library_, &desc, &weights, &settings, &block);
  if (status == GF_OK) blocks_.push_back(block);
  return status;
}

std::optional<Route> WeightRotation::route(const gf_kernel& kernel) const {
  if (!same_layout(kernel, kernel_)) return std::nullopt;
  Route route = {&kernel, {}};
  for (int i = 0; i < kernel.stream_count; ++i) {
    const auto found = std::find_if(streams_.begin(), streams_.end(),
                                    [&](const auto& s) { return same(s, kernel.streams[i]); });
    if (found == streams_.end()) return std::nullopt;
    route.streams.push_back(static_cast<int>(found - streams_.begin()));
  }
  return route;
}

gf_status WeightRotation::run(const Route& route, const gf_rows& x, const gf_rows* residual,
                              const gf_rows& y) {
  const int biases = table_.has_bias ? (table_.gated ? 3 : 2) : 0;
  t_forwarding = {&route, static_cast<int>(streams_.size()), biases + 2 + table_.has_residual};
  gf_ffn* block = blocks_[next_];
  next_ = (next_ + 1) % blocks_.size();
  return residual ? gf_ffn_run_residual(block, &x, residual, &y) : gf_ffn_run(block, &x, &y);
}

}  // namespace gatefold
