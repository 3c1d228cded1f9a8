#include <Halide.h>

#include "schedules/ffn_stages.h"

namespace gatefold {

Halide::Target halide_target(Target target) {
  using Feature = Halide::Target::Feature;
  return Halide::Target(info(target).halide)
      .with_feature(Feature::NoRuntime)
      .with_feature(Feature::NoBoundsQuery)
      .with_feature(Feature::UserContext);
}

}  // namespace gatefold
