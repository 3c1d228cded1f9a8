#include "tuning/roof.h"

#include <algorithm>
#include <vector>

#include "gatefold/gatefold.h"
#include "spec/error.h"
#include "tuning/emulator.h"
#include "tuning/roof_meters.h"

namespace gatefold {
namespace {

constexpr int kSamples = 16, kEmulatedSamples = 2;
constexpr size_t kLeaders = ReadMeter::kLeaders;

using Series = std::vector<double>;

double best_of(const Series& values, int first) {
  return *std::max_element(values.begin() + first, values.end());
}

double upper_quartile_of(const Series& values, int first) {
  Series sorted(values.begin() + first, values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted[sorted.size() * 3 / 4];
}

}  // namespace

struct RoofMeter::Parts {
  Parts(Target target, int threads)
      : target(target),
        threads(threads),
        f32(f32_probe(target), threads),
        bf16(bf16_probe(target), threads),
        i8(i8_probe(target), threads),
        read(threads) {}

  /// Memory first, straight after the caller's own traffic: after milliseconds without any, the
  /// first passes are slower (EPYC 7003: by a tenth).
  void sample() {
    double fastest = 0;
    for (size_t i = 0; i < kLeaders; ++i) {
      const double gbps = read.gbps(read.leader(i));
      if (gbps > fastest) fastest = gbps, winner = i;
    }
    read_gbps.push_back(fastest);
    f32_gops.push_back(f32.gops());
    const bool same = bf16_probe(target).run == f32_probe(target).run;
    bf16_gops.push_back(same ? f32_gops.back() : bf16.gops());
    i8_gops.push_back(i8.gops());
  }

  template <typename Summary>
  Roof summary(Summary of, int first) const {
    Roof roof;
    roof.threads = threads;
    roof.target = target;
    roof.f32_instruction = f32_probe(target).instruction;
    roof.bf16_instruction = bf16_probe(target).instruction;
    roof.i8_instruction = i8_probe(target).instruction;
    if (first >= static_cast<int>(f32_gops.size())) return roof;
    roof.f32_gflops = of(f32_gops, first);
    roof.bf16_gflops = of(bf16_gops, first);
    roof.i8_gops = of(i8_gops, first);
    roof.read_gbps = of(read_gbps, first);
    roof.read_pattern = read_pattern(read.leader(winner)).text();
    return roof;
  }

  Target target;
  int threads;
  PeakMeter f32, bf16, i8;
  ReadMeter read;
  size_t winner = 0;  ///< the leader that won the last sample
  Series f32_gops, bf16_gops, i8_gops, read_gbps;
};

RoofMeter::RoofMeter(Target target, int threads) {
  if (!gf_isa_usable(info(target).name.c_str())) {
    fail_unavailable("roof: target '" + info(target).name + "' cannot run on this CPU");
  }
  if (threads < 1) fail_usage("roof: " + std::to_string(threads) + " threads, wanted 1 or more");
  parts_ = std::make_unique<Parts>(target, threads);
}

RoofMeter::~RoofMeter() = default;
RoofMeter::RoofMeter(RoofMeter&&) noexcept = default;
RoofMeter& RoofMeter::operator=(RoofMeter&&) noexcept = default;

void RoofMeter::sample() { parts_->sample(); }
int RoofMeter::samples() const { return static_cast<int>(parts_->f32_gops.size()); }
Roof RoofMeter::best(int first) const { return parts_->summary(best_of, first); }
Roof RoofMeter::usual(int first) const { return parts_->summary(upper_quartile_of, first); }

Roof measure_roof(Target target, int threads) {
  RoofMeter meter(target, threads);
  const int samples = is_emulated() ? kEmulatedSamples : kSamples;
  for (int i = 0; i < samples; ++i) meter.sample();
  return meter.best();
}

Roof better_of(const Roof& a, const Roof& b) {
  Roof roof = a;
  roof.f32_gflops = std::max(a.f32_gflops, b.f32_gflops);
  roof.bf16_gflops = std::max(a.bf16_gflops, b.bf16_gflops);
  roof.i8_gops = std::max(a.i8_gops, b.i8_gops);
  if (b.read_gbps > a.read_gbps) roof.read_gbps = b.read_gbps, roof.read_pattern = b.read_pattern;
  return roof;
}

}  // namespace gatefold
