#include "spec/presets.h"

#include "spec/names.h"

namespace gatefold {
namespace {

constexpr bool kBias = true;
constexpr bool kNoBias = false;

/// Two matrices; gelu is the exact (erf) form, gelu_tanh the approximation: models differ in it.
std::vector<Preset> dense_presets() {
  return {
      {"bert-base", "gelu", 768, 3072, kBias, 12, "BERT; exact GELU"},
      {"bert-large", "gelu", 1024, 4096, kBias, 24, "BERT; exact GELU"},
      {"minilm-l6", "gelu", 384, 1536, kBias, 6, "all-MiniLM-L6-v2; exact GELU"},
      {"gpt2", "gelu_tanh", 768, 3072, kBias, 12, "GPT-2; weights stored [in, out]"},
      {"gpt2-medium", "gelu_tanh", 1024, 4096, kBias, 24, "GPT-2; weights stored [in, out]"},
      {"gpt2-large", "gelu_tanh", 1280, 5120, kBias, 36, "GPT-2; weights stored [in, out]"},
      {"gpt2-xl", "gelu_tanh", 1600, 6400, kBias, 48, "GPT-2; weights stored [in, out]"},
      {"opt-125m", "relu", 768, 3072, kBias, 12, "OPT"},
      {"opt-1.3b", "relu", 2048, 8192, kBias, 24, "OPT"},
      {"opt-6.7b", "relu", 4096, 16384, kBias, 32, "OPT"},
      {"pythia-410m", "gelu", 1024, 4096, kBias, 24, "Pythia; exact GELU"},
      {"phi-1.5", "gelu_tanh", 2048, 8192, kBias, 24, "Phi"},
      {"phi-2", "gelu_tanh", 2560, 10240, kBias, 32, "Phi"},
      {"falcon-7b", "gelu", 4544, 18176, kNoBias, 32, "Falcon; exact GELU"},
      {"falcon-40b", "gelu", 8192, 32768, kNoBias, 60, "Falcon; exact GELU"},
      {"nemotron-15b", "relu2", 6144, 24576, kNoBias, 32, "Nemotron-4; squared ReLU"},
      {"t5-base", "relu", 768, 3072, kNoBias, 24, "Shazeer's dense baseline; 12+12 layers"},
  };
}

std::vector<Preset> gated_presets() {
  return {
      {"shazeer-swiglu", "swiglu", 768, 2048, kNoBias, 24,
       "T5-base at equal weights; 12+12 layers"},
      {"t5-v1.1-base", "geglu_tanh", 768, 2048, kNoBias, 24,
       "T5 v1.1; wi_0 is the gate, wi_1 the up"},
      {"palm-8b", "swiglu", 4096, 16384, kNoBias, 32, "PaLM paper; 4 d_model, not two thirds"},
      {"llama-2-7b", "swiglu", 4096, 11008, kNoBias, 32, "Llama 2; two thirds, up to 256"},
      {"llama-2-13b", "swiglu", 5120, 13824, kNoBias, 40, "Llama 2"},
      {"llama-2-70b", "swiglu", 8192, 28672, kNoBias, 80, "Llama 2; widened 1.3 times"},
      {"llama-3-8b", "swiglu", 4096, 14336, kNoBias, 32, "Llama 3 and 3.1; widened 1.3 times"},
      {"llama-3-70b", "swiglu", 8192, 28672, kNoBias, 80, "Llama 3 and 3.1"},
      {"llama-3-405b", "swiglu", 16384, 53248, kNoBias, 126, "Llama 3.1"},
      {"llama-3.2-1b", "swiglu", 2048, 8192, kNoBias, 16, "Llama 3.2"},
      {"llama-3.2-3b", "swiglu", 3072, 8192, kNoBias, 28, "Llama 3.2"},
      {"tinyllama", "swiglu", 2048, 5632, kNoBias, 22, "TinyLlama 1.1B"},
      {"smollm2-135m", "swiglu", 576, 1536, kNoBias, 30, "SmolLM2"},
      {"smollm2-360m", "swiglu", 960, 2560, kNoBias, 32, "SmolLM2"},
      {"mistral-7b", "swiglu", 4096, 14336, kNoBias, 32, "Mistral"},
      {"mixtral-8x7b", "swiglu", 4096, 14336, kNoBias, 32, "Mixtral; one of 8 experts"},
      {"qwen2.5-0.5b", "swiglu", 896, 4864, kNoBias, 24, "Qwen2.5"},
      {"qwen2.5-7b", "swiglu", 3584, 18944, kNoBias, 28, "Qwen2.5"},
      {"qwen3-0.6b", "swiglu", 1024, 3072, kNoBias, 28, "Qwen3"},
      {"qwen3-8b", "swiglu", 4096, 12288, kNoBias, 36, "Qwen3"},
      {"qwen3-30b-a3b", "swiglu", 2048, 768, kNoBias, 48, "Qwen3; one of 128 experts"},
      {"qwen3.8-27b", "swiglu", 5120, 17408, kNoBias, 64, "Qwen3.8"},
      {"phi-3-mini", "swiglu", 3072, 8192, kNoBias, 32, "Phi-3; gate_up fused, gate first"},
      {"phi-4", "swiglu", 5120, 17920, kNoBias, 40, "Phi-4; gate_up fused, gate first"},
      {"gemma-2b", "geglu_tanh", 2048, 16384, kNoBias, 18, "Gemma"},
      {"gemma-7b", "geglu_tanh", 3072, 24576, kNoBias, 28, "Gemma"},
      {"gemma2-2b", "geglu_tanh", 2304, 9216, kNoBias, 26, "Gemma 2"},
      {"gemma2-9b", "geglu_tanh", 3584, 14336, kNoBias, 42, "Gemma 2"},
      {"gemma3-270m", "geglu_tanh", 640, 2048, kNoBias, 18, "Gemma 3"},
      {"gemma3-1b", "geglu_tanh", 1152, 6912, kNoBias, 26, "Gemma 3"},
      {"gpt-oss-20b", "swiglu_oai", 2880, 2880, kBias, 24,
       "gpt-oss; one of 32 experts, gate_up interleaved"},
      {"gpt-oss-120b", "swiglu_oai", 2880, 2880, kBias, 36,
       "gpt-oss; one of 128 experts, gate_up interleaved"},
  };
}

std::vector<Preset> make_presets() {
  std::vector<Preset> presets = dense_presets();
  for (Preset& preset : gated_presets()) presets.push_back(std::move(preset));
  return presets;
}

}  // namespace

const std::vector<Preset>& all_presets() {
  static const std::vector<Preset> presets = make_presets();
  return presets;
}

const Preset& preset_named(std::string_view name) {
  return find_named(all_presets(), name, "preset");
}

}  // namespace gatefold
