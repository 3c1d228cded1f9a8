#pragma once

#include "schedules/space.h"
#include "tests/tuning/fake_candidate.h"
#include "tuning/search_space.h"

namespace gatefold::test {

/// The space of the fake candidates' block.
inline SearchSpace small_space(std::vector<int64_t> rows = {1, 4, 16}) {
  SearchSpace s;
  s.ffn = fake_ffn();
  s.target = Target::x86_avx2;
  s.cpu = cpu_profile_named("generic");
  s.buckets = row_buckets(rows);
  s.packings = legal_packings(s.ffn, s.target);
  return s;
}

inline std::string text(const Candidate& c) {
  return std::to_string(c.packing) + "/" + std::to_string(c.bucket) + "/" + c.point.text();
}

}  // namespace gatefold::test
