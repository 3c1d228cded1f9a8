#include "spec/presets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "spec/error.h"
#include "spec/shape.h"
#include "spec/variant.h"

namespace gatefold {
namespace {

using ::testing::HasSubstr;

TEST(Presets, EachIsADescriptionThatCanBeGenerated) {
  std::set<std::string> names;
  for (const Preset& p : all_presets()) {
    SCOPED_TRACE(p.name);
    EXPECT_TRUE(names.insert(p.name).second) << "stands twice";
    EXPECT_NO_THROW(variant_named(p.variant));
    EXPECT_GE(p.d_model, 1);
    EXPECT_LE(p.d_model, kMaxDimension);
    EXPECT_GE(p.d_ff, 1);
    EXPECT_LE(p.d_ff, kMaxDimension);
    EXPECT_GE(p.layers, 1);
    EXPECT_FALSE(p.source.empty());
  }
}

struct Expected {
  const char* name;
  const char* variant;
  int64_t d_model, d_ff;
  bool bias;
  int layers;
};

class KnownPreset : public testing::TestWithParam<Expected> {};

TEST_P(KnownPreset, HasTheModelsSizes) {
  const Preset& p = preset_named(GetParam().name);
  EXPECT_EQ(p.variant, GetParam().variant);
  EXPECT_EQ(p.d_model, GetParam().d_model);
  EXPECT_EQ(p.d_ff, GetParam().d_ff);
  EXPECT_EQ(p.bias, GetParam().bias);
  EXPECT_EQ(p.layers, GetParam().layers);
}

INSTANTIATE_TEST_SUITE_P(
    Models, KnownPreset,
    testing::Values(Expected{"minilm-l6", "gelu", 384, 1536, true, 6},
                    Expected{"bert-base", "gelu", 768, 3072, true, 12},
                    Expected{"gpt2-xl", "gelu_tanh", 1600, 6400, true, 48},
                    Expected{"opt-1.3b", "relu", 2048, 8192, true, 24},
                    Expected{"falcon-7b", "gelu", 4544, 18176, false, 32},
                    Expected{"t5-base", "relu", 768, 3072, false, 24},
                    Expected{"llama-2-7b", "swiglu", 4096, 11008, false, 32},
                    Expected{"llama-3-8b", "swiglu", 4096, 14336, false, 32},
                    Expected{"qwen3.8-27b", "swiglu", 5120, 17408, false, 64},
                    Expected{"gemma2-9b", "geglu_tanh", 3584, 14336, false, 42},
                    Expected{"gpt-oss-20b", "swiglu_oai", 2880, 2880, true, 24}),
    [](const auto& test) {
      std::string name = test.param.name;
      for (char& c : name) c = isalnum(static_cast<unsigned char>(c)) ? c : '_';
      return name;
    });

TEST(Presets, UnknownNameProposesTheNearest) {
  try {
    preset_named("llama2-7b");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.what(), HasSubstr("unknown preset 'llama2-7b', did you mean 'llama-2-7b'?"));
  }
}

}  // namespace
}  // namespace gatefold
