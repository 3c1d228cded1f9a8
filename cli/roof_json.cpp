#include "cli/roof_json.h"

namespace gatefold::cli {

Json roof_json(const Roof& roof) {
  return {{"f32_gflops", roof.f32_gflops},
          {"bf16_gflops", roof.bf16_gflops},
          {"i8_gops", roof.i8_gops},
          {"read_gbps", roof.read_gbps},
          {"threads", roof.threads},
          {"target", info(roof.target).name},
          {"f32_instruction", roof.f32_instruction},
          {"bf16_instruction", roof.bf16_instruction},
          {"i8_instruction", roof.i8_instruction},
          {"read_pattern", roof.read_pattern}};
}

}  // namespace gatefold::cli
