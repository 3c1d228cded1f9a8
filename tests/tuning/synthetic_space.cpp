#include "tests/tuning/synthetic_space.h"

#include <algorithm>
#include <cmath>

#include "tuning/bucket_points.h"

namespace gatefold::test {
namespace {

constexpr double kNoise = 0.02, kQuirk = 0.12, kFailing = 0.01;

double tile_ms(const KernelSpec& k, double rows) {
  const SchedulePoint& p = k.point;
  const double vectors = double(p.streams) * k.packing.panel / info(k.target).vector_lanes;
  const double cycles = std::max({p.mr * vectors / 2, (p.mr + vectors) / 2, 4.0}) + 0.5;
  const double tiles = std::ceil(rows / p.mr);
  return tiles * cycles / vectors;
}

double cache_factor(const KernelSpec& k, double rows) {
  const SchedulePoint& p = k.point;
  const double lines = p.kb == 0 ? 256 : p.kb;
  const double held = lines * (p.streams + 0.5 * p.mr);
  double factor = 1 + 0.08 * std::fabs(std::log2(held / 180));
  if (held > 640 && rows > p.mr) factor *= 1.35;  // out of L1
  return factor;
}

double prefetch_factor(const KernelSpec& k, double rows) {
  const SchedulePoint& p = k.point;
  const double wanted = rows <= p.mr ? 0 : 64;
  const double off = std::fabs(std::log2((1 + p.pf) / (1 + wanted)));
  return 1 + 0.025 * std::min(off, 5.0);
}

double fusion_factor(const KernelSpec& k, double rows) {
  const SchedulePoint& p = k.point;
  switch (p.fusion) {
    case Fusion::unfused:
      return 1.25;
    case Fusion::gated:
      return 1;
    case Fusion::blocked:
      return 0.96 + 0.02 * std::fabs(std::log2(p.mb * p.mr / 32.0));
    case Fusion::streamed:
      return (rows < 8 ? 0.93 : 1.06) + 0.015 * std::fabs(std::log2(p.slices / 8.0));
  }
  return 1;
}

/// What no model knows: how the compiler's code turned out for a loop, how addresses fell in
/// caches.
double quirk_factor(const KernelSpec& k) {
  SchedulePoint loop = k.point, blocks = k.point;
  loop.kb = loop.pf = loop.mb = loop.slices = 0;
  blocks.mr = blocks.streams = blocks.xpack = 1;
  blocks.unroll = 1;
  const double code = noise_of(k.packing.text() + loop.text(), 7);
  const double addresses = noise_of(k.packing.text() + blocks.text(), 8);
  return (1 + kQuirk * (code - 0.5)) * (1 + kQuirk * (addresses - 0.5));
}

}  // namespace

double noise_of(const std::string& text, uint64_t seed) {
  uint64_t hash = 0xcbf29ce484222325u ^ seed;
  for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return static_cast<double>((hash ^ (hash >> 31)) * 0x9e3779b97f4a7c15u >> 11) / 9007199254740992;
}

double synthetic_ms(const KernelSpec& k) {
  const double rows = double(k.rows.tuned_rows);
  const SchedulePoint& p = k.point;
  double ms =
      tile_ms(k, rows) * cache_factor(k, rows) * prefetch_factor(k, rows) * fusion_factor(k, rows);
  ms *= 1 - 0.02 * std::log2(double(p.unroll)) * (p.mr <= 4 ? 1 : -0.5);
  ms *= p.xpack == (rows > 4) ? 1 : 1.04;
  ms *= k.packing.group == 4 && rows <= 4 ? 0.94 : 1;
  return ms;
}

RecordedSpace synthetic_space(int64_t rows, Shape shape, const char* variant, Target target) {
  RecordedSpace space;
  space.key.ffn.variant = variant_named(variant);
  space.key.ffn.shape = shape;
  space.key.target = target;
  space.key.cpu = space.caches.name = "made up";
  space.rows = rows;
  const SearchSpace search = space.search_space();
  const BucketPoints points(search, 0);
  for (PointId id = 0; id < points.size(); ++id) {
    const SchedulePoint& point = points.point(id);
    RecordedPoint recorded{search.packings[points.packing(id)], point, TrialKind::ok, kUnknown};
    const std::string text = recorded.packing.text() + point.text();
    if (noise_of(text, 1) < kFailing) {
      recorded.kind = TrialKind::compile_timeout;
    } else {
      const double bell = noise_of(text, 2) + noise_of(text, 3) + noise_of(text, 4) - 1.5;
      const KernelSpec kernel = search.kernel(points.packing(id), 0, point);
      recorded.ms = synthetic_ms(kernel) * quirk_factor(kernel) * std::exp(2 * kNoise * bell);
    }
    space.points.push_back(recorded);
  }
  return space;
}

}  // namespace gatefold::test
