#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "accuracy/ffn_data.h"
#include "gatefold/gatefold.h"

namespace gatefold {

struct RotationOptions {
  int threads = 1;
  bool cold = true;
  int64_t memory_bytes = int64_t{2} << 30;  ///< for all copies; one is made in any case
};

/// How one kernel is called with a rotation's arguments.
struct Route {
  const gf_kernel* kernel = nullptr;
  std::vector<int> streams;  ///< positions of its weight streams among the rotation's
};

/// Packed weights, several copies of them, on which any kernel of the same packing runs: packing a
/// large block takes longer than timing it, and kernels that share their memory are compared
/// without the luck of where their pages lie.
///
/// It is a library of one kernel that passes the call on: its table lists every stream that a
/// kernel of this packing can want, and hands each kernel those that it has. So candidates are
/// timed through gf_ffn_run, like any application's.
class WeightRotation {
 public:
  /// Of the first candidate: table, kernel, and the data to pack. Throws gatefold::Error.
  WeightRotation(const gf_kernel_table& table, const gf_kernel& kernel, const FfnData& data,
                 const RotationOptions& options);
  WeightRotation(const WeightRotation&) = delete;
  WeightRotation& operator=(const WeightRotation&) = delete;
  ~WeightRotation();

  /// Nothing if the kernel reads weights of another layout.
  std::optional<Route> route(const gf_kernel& kernel) const;

  /// Runs the kernel on the next copy. `residual` may be null.
  gf_status run(const Route& route, const gf_rows& x, const gf_rows* residual, const gf_rows& y);

  int copies() const { return static_cast<int>(blocks_.size()); }
  int64_t packed_bytes() const { return packed_bytes_; }  ///< of one copy
  bool cold() const { return cold_; }

 private:
  void list_streams(const gf_kernel& kernel, bool gated);
  void fill_table();
  gf_status add_block(const FfnData& data, const RotationOptions& options);
  void add_copies(const FfnData& data, const RotationOptions& options);
  void release();

  std::deque<std::string> texts_;

  std::vector<gf_weight_stream> streams_;
  gf_kernel kernel_;
  gf_kernel_table table_;
  gf_library* library_ = nullptr;
  std::vector<gf_ffn*> blocks_;
  size_t next_ = 0;
  int64_t packed_bytes_ = 0;
  bool cold_ = false;
};

}  // namespace gatefold
