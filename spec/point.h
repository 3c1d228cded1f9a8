#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace gatefold {

/// How the block's stages are laid out in time.
enum class Fusion {
  unfused,   ///< gate, up, activation, down one by one: the control
  gated,     ///< gate and up in one pass, activation in the epilogue; hidden in memory
  blocked,   ///< as gated, for one block of rows at a time, so that its hidden stays in cache
  streamed,  ///< by slices of d_ff: each one's hidden goes through down at once, into a partial y
};

/// Layout of the packed weights, shared by all kernels of one ISA in a library.
/// A matrix [N, K] is stored as panels of `panel` columns: [panel][k / pair][column][pair], the
/// panels padded with zeros to a multiple of `group`, k to a multiple of `k_lines` lines.
struct Packing {
  int panel = 16;  ///< output columns of one panel
  int pair = 1;    ///< k values that stand side by side (2 for bf16, 16 bytes on a device)
  /// k / pair steps of one line, the unit of prefetch and k-blocks: 64 bytes, on a device 32 k.
  int k_step = 1;
  int k_lines = 1;  ///< lines to a multiple of which k is padded, so that k-blocks divide it
  int group = 2;    ///< panels that a kernel may read side by side

  bool operator==(const Packing&) const = default;
  std::string text() const;
};

/// Lines of one packed column of `length` values.
int64_t packed_lines(const Packing& packing, int64_t length);

/// Panels of a packed matrix with `columns` outputs.
int64_t packed_panels(const Packing& packing, int64_t columns);

/// Elements of a packed matrix [out, in], padding included.
int64_t packed_elements(const Packing& packing, int64_t out, int64_t in);

/// One legal schedule of one kernel, as named tunables.
struct SchedulePoint {
  Fusion fusion = Fusion::gated;
  int mr = 6;       ///< rows of the register tile
  int streams = 2;  ///< weight panels read side by side
  int kb = 0;       ///< lines of one k-block; 0: k is not blocked
  int pf = 0;       ///< prefetch distance in lines; 0: none
  int unroll = 1;   ///< lines of one iteration of the k loop
  int mb = 0;      ///< row tiles of one row block (blocked, streamed) or block of threads (devices)
  int slices = 0;  ///< of d_ff (streamed fusion and devices); partial results are added in order
  int xpack = 1;   ///< 1: x tile by tile [tile][k][mr]; 0: row by row with padded rows
  int ks = 1;      ///< slices of k side by side in one block of threads (devices)
  int pl = 1;      ///< level of the cache that prefetches fill

  bool operator==(const SchedulePoint&) const = default;
  std::string text() const;  ///< "fusion=gated mr=6 streams=2 …"; parse_point reads it back
};

/// Whether a table's point is none of these but one of tensor cores (generator/mlir): "bm=128 …".
bool is_tensor_core_point(std::string_view text);

struct Tunable {
  const char* name;
  int SchedulePoint::*value;
  const char* meaning;
  bool rare = false;  ///< printed where it is not the default: points of before stay as they are
};

/// All integer tunables in printing order. Printing, parsing, search and export follow from it.
inline constexpr std::array<Tunable, 10> kTunables = {{
    {"mr", &SchedulePoint::mr, "rows of the register tile"},
    {"streams", &SchedulePoint::streams, "weight panels read side by side"},
    {"kb", &SchedulePoint::kb, "64-byte lines of one k-block (0: none)"},
    {"pf", &SchedulePoint::pf, "prefetch distance in lines (0: none)"},
    {"unroll", &SchedulePoint::unroll, "lines of one k iteration"},
    {"mb", &SchedulePoint::mb, "row tiles of one row block (blocked, streamed) or thread block"},
    {"slices", &SchedulePoint::slices, "slices of d_ff (streamed, devices)"},
    {"xpack", &SchedulePoint::xpack, "x stored by row tiles (1) or by padded rows (0)"},
    {"ks", &SchedulePoint::ks, "slices of k in one thread block (devices)", true},
    {"pl", &SchedulePoint::pl, "level of the cache that prefetches fill", true},
}};

const char* name(Fusion fusion);
Fusion fusion_named(std::string_view name);

/// Reads "name=value …" in any order; unknown or repeated names, bad values and an empty text are
/// errors. Tunables left out keep the value of `base`.
SchedulePoint parse_point(std::string_view text, const SchedulePoint& base = {});
Packing parse_packing(std::string_view text);

}  // namespace gatefold
