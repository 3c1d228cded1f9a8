#include "generator/library.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <fstream>
#include <set>
#include <sstream>

#include "tests/generator/test_block.h"
#include "tests/support/paths.h"

namespace gatefold::test {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

std::string output_of(const std::string& command) {
  std::string out;
  FILE* pipe = popen(command.c_str(), "r");
  char line[512];
  while (fgets(line, sizeof line, pipe)) out += line;
  pclose(pipe);
  return out;
}

LibraryPlan small_plan() {
  const FfnSpec ffn{variant_named("swiglu"), DType::f32, {16, 40}, false};
  return default_plan(ffn, Target::x86_avx2, {1, 4});
}

/// A stand-in for gatefold-emit that does what `script` says.
fs::path fake_emitter(const TemporaryFolder& folder, const std::string& script) {
  const fs::path path = folder.path() / "fake-emit";
  std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
  chmod(path.c_str(), 0755);
  return path;
}

TEST(Library, SamePlanGivesTheSameBytes) {
  const TemporaryFolder one, two;
  build_library(small_plan(), options_in(one));
  build_library(small_plan(), options_in(two));
  const std::set<std::string> files = {"block.h", "block.json", "blockConfig.cmake", "libblock.a",
                                       "libblock.so"};
  EXPECT_EQ(names_in(one.path()), files);
  for (const std::string& file : files)
    EXPECT_EQ(read(one.path() / file), read(two.path() / file)) << file;
}

TEST(Library, ExportsOnlyItsTable) {
  const TemporaryFolder folder;
  build_library(small_plan(), options_in(folder));
  const std::string a =
      output_of("nm --defined-only -g " + (folder.path() / "libblock.a").string());
  const std::string so =
      output_of("nm -D --defined-only " + (folder.path() / "libblock.so").string());
  EXPECT_NE(a.find("block_kernels"), std::string::npos);
  EXPECT_NE(so.find("gatefold_kernels"), std::string::npos);
  for (const std::string& text : {a, so}) EXPECT_EQ(text.find("halide"), std::string::npos) << text;
  const std::string needs = output_of("ldd " + (folder.path() / "libblock.so").string());
  EXPECT_EQ(needs.find("Halide"), std::string::npos);
  EXPECT_EQ(needs.find("LLVM"), std::string::npos);
}

TEST(Library, ManifestReadsBack) {
  const TemporaryFolder folder;
  const LibraryPlan plan = small_plan();
  const Manifest m = read_manifest(build_library(plan, options_in(folder)));
  EXPECT_EQ(m.name, "block");
  EXPECT_EQ(m.ffn.variant.name, "swiglu");
  EXPECT_EQ(m.ffn.shape, plan.ffn.shape);
  ASSERT_EQ(m.kernels.size(), 2u);
  EXPECT_EQ(m.kernels[0].rows_max, 1);
  EXPECT_EQ(m.kernels[1].rows_max, RowBucket::kOpen);
  EXPECT_EQ(parse_point(m.kernels[1].point), plan.kernels[1].spec.point);
  EXPECT_EQ(parse_packing(m.kernels[1].packing), plan.kernels[1].spec.packing);
}

TEST(Library, ManifestsKeepTheResidualAndMayLackIt) {
  const TemporaryFolder folder;
  LibraryPlan plan = small_plan();
  plan.ffn.residual = true;
  for (LibraryKernel& k : plan.kernels) k.spec.ffn.residual = true;
  const fs::path path = build_library(plan, options_in(folder));
  EXPECT_TRUE(read_manifest(path).ffn.residual);
  const std::string field = "  \"residual\": true,\n";
  std::string old = read(path);
  ASSERT_NE(old.find(field), std::string::npos) << old;
  std::ofstream(path, std::ios::trunc) << old.erase(old.find(field), field.size());
  EXPECT_FALSE(read_manifest(path).ffn.residual);
}

struct BrokenEmitter {
  const char* name;
  const char* script;
  EmitFailure::Kind kind;
};

class Broken : public testing::TestWithParam<BrokenEmitter> {};

TEST_P(Broken, EmitterLeavesNothingBehind) {
  const TemporaryFolder out, tools;
  std::ofstream(out.path() / "libblock.so") << "older";
  LibraryOptions options = options_in(out);
  options.emitter = fake_emitter(tools, GetParam().script);
  options.compile_timeout_s = 0.5;
  try {
    build_library(small_plan(), options);
    FAIL() << "built with a broken emitter";
  } catch (const EmitFailure& e) {
    EXPECT_EQ(e.how, GetParam().kind) << e.what();
    EXPECT_NE(std::string(e.what()).find("ffn_swiglu_f32_16x40"), std::string::npos) << e.what();
  }
  EXPECT_EQ(names_in(out.path()), std::set<std::string>{"libblock.so"});
  EXPECT_EQ(read(out.path() / "libblock.so"), "older");
}

INSTANTIATE_TEST_SUITE_P(
    Library, Broken,
    testing::Values(BrokenEmitter{"fails", "echo 'no such point' >&2; exit 1",
                                  EmitFailure::Kind::error},
                    BrokenEmitter{"hangs", "sleep 60", EmitFailure::Kind::timeout},
                    BrokenEmitter{"crashes", "kill -SEGV $$", EmitFailure::Kind::crash}),
    [](const auto& p) { return p.param.name; });

TEST(Library, OutputFolderThatIsAFile) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "file") << "x";
  LibraryOptions options = options_in(folder);
  options.directory = folder.path() / "file";
  EXPECT_THROW(build_library(small_plan(), options), Error);
  EXPECT_EQ(read(folder.path() / "file"), "x");
}

TEST(Library, NameMustBeAnIdentifier) {
  const TemporaryFolder folder;
  for (const char* name : {"", "1st", "a-b", "../x", "a b"}) {
    LibraryPlan plan = small_plan();
    plan.name = name;
    EXPECT_THROW(build_library(plan, options_in(folder)), Error) << name;
  }
  EXPECT_TRUE(names_in(folder.path()).empty());
}

TEST(Library, HoldsOneArchitecture) {
  const TemporaryFolder folder;
  LibraryPlan plan = small_plan();
  plan.kernels.back().spec.target = Target::arm64_neon;
  try {
    build_library(plan, options_in(folder));
    FAIL() << "linked two architectures into one library";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::usage);
  }
  EXPECT_TRUE(names_in(folder.path()).empty());
}

TEST(Library, ManifestsSayTheArchitectureAndMayLackIt) {
  const TemporaryFolder folder;
  const fs::path path = build_library(small_plan(), options_in(folder));
  const std::string field = "  \"architecture\": \"x86_64\",\n", good = read(path);
  ASSERT_NE(good.find(field), std::string::npos) << good;
  const auto arch_with = [&](const std::string& replacement) {
    std::string changed = good;
    changed.replace(good.find(field), field.size(), replacement);
    std::ofstream(path, std::ios::trunc) << changed;
    return read_manifest(path).arch;
  };
  EXPECT_EQ(arch_with(""), Arch::x86_64);
  EXPECT_EQ(arch_with("  \"architecture\": \"arm64\",\n"), Arch::arm64);
}

/// Without the field it is for x86_64, so other kernels want the field.
TEST(Library, ManifestsWithoutTheArchitectureHoldKernelsForX86) {
  const TemporaryFolder folder;
  const fs::path path = build_library(small_plan(), options_in(folder));
  std::string text = read(path);
  const auto replace = [&](const std::string& from, const std::string& to) {
    ASSERT_NE(text.find(from), std::string::npos) << text;
    text.replace(text.find(from), from.size(), to);
  };
  replace("  \"architecture\": \"x86_64\",\n", "");
  replace("\"target\": \"x86-avx2\"", "\"target\": \"arm64-neon\"");
  std::ofstream(path, std::ios::trunc) << text;
  try {
    read_manifest(path);
    FAIL() << "took a kernel for arm64 for one of x86_64";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::failed);
    EXPECT_NE(std::string(e.what()).find("block.json: field 'architecture' is missing, wanted "
                                         "\"arm64\" for a kernel for arm64-neon"),
              std::string::npos)
        << e.what();
  }
}

TEST(Library, ManifestsKnowTheBytesOfTheSharedObject) {
  const TemporaryFolder folder;
  const fs::path path = build_library(small_plan(), options_in(folder));
  const Manifest manifest = read_manifest(path);
  EXPECT_EQ(manifest.so_bytes, static_cast<int64_t>(fs::file_size(manifest.shared_object)));
  EXPECT_NO_THROW(check_shared_object(manifest));
  std::fstream file(manifest.shared_object, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(5000);
  file.put('\x5a');
  file.close();
  EXPECT_THROW(check_shared_object(manifest), Error) << "one byte is another";
  fs::remove(manifest.shared_object);
  EXPECT_THROW(check_shared_object(manifest), Error) << "it is not there";
}

class BadManifest : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(BadManifest, NamesTheFileAndWhatIsWrong) {
  const TemporaryFolder folder;
  const fs::path path = build_library(small_plan(), options_in(folder));
  const std::string good = read(path);
  const auto& [from, to] = GetParam();
  const size_t at = good.find(from);
  ASSERT_NE(at, std::string::npos);
  std::string bad = good;
  bad.replace(at, std::string(from).size(), to);
  std::ofstream(path) << bad;
  try {
    read_manifest(path);
    FAIL() << "accepted " << to;
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("block.json"), std::string::npos) << e.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Library, BadManifest,
                         testing::Values(std::pair{"gatefold-library", "other-library"},
                                         std::pair{"\"version\": 1", "\"version\": 2"},
                                         std::pair{"libblock.so", "../libblock.so"},
                                         std::pair{"\"x86_64\"", "\"sparc\""},
                                         std::pair{"\"so_bytes\"", "\"so_words\""},
                                         std::pair{"\"d_model\": 16", "\"d_model\": -1"},
                                         std::pair{"\"residual\": false", "\"residual\": 0"},
                                         std::pair{"\"d_model\": 16", "\"d_model\": 1099511627776"},
                                         std::pair{"\"d_model\": 16", "\"d_model\": \"16\""},
                                         std::pair{"\"swiglu\"", "\"swigluu\""},
                                         std::pair{"\"kernels\"", "\"colonels\""},
                                         std::pair{"\"f32\"", "7"}),
                         [](const auto& p) { return "Case" + std::to_string(p.index); });

TEST(Library, TruncatedManifest) {
  const TemporaryFolder folder;
  const fs::path path = build_library(small_plan(), options_in(folder));
  const std::string good = read(path);
  for (size_t length : {size_t{0}, size_t{1}, good.size() / 2, good.size() - 4}) {
    std::ofstream(path, std::ios::trunc) << good.substr(0, length);
    EXPECT_THROW(read_manifest(path), Error) << length;
  }
}

TEST(Library, ManifestsThatAreNestedDeeplyOrTooLong) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "block.json";
  const auto error = [&](const std::string& text) {
    std::ofstream(path, std::ios::trunc) << text;
    try {
      read_manifest(path);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const std::string deep(100000, '['), end(100000, ']');
  EXPECT_NE(error("{\"format\":" + deep + end + "}").find("block.json: nested too deeply"),
            std::string::npos);
  EXPECT_NE(error(std::string((16 << 20) + 1, ' ')).find("block.json: 16777217 bytes, wanted"),
            std::string::npos);
}

TEST(HalideGenerator, EmitsTheSameAlgorithm) {
  const TemporaryFolder folder;
  const std::string command =
      (fs::path(binary_dir()) / "gatefold-gengen").string() + " -g gatefold_ffn -f my_ffn -o " +
      folder.path().string() +
      " -e object,c_header target=x86-64-linux-sse41-avx-f16c-fma-avx2-no_runtime"
      " variant=geglu dtype=bf16 d_model=64 d_ff=160 rows=4 2>&1";
  EXPECT_EQ(output_of(command), "");
  EXPECT_EQ(names_in(folder.path()), (std::set<std::string>{"my_ffn.h", "my_ffn.o"}));
  EXPECT_NE(read(folder.path() / "my_ffn.h").find("int my_ffn("), std::string::npos);
}

TEST(HalideGenerator, TakesTheArchitectureFromTheHalideTarget) {
  const TemporaryFolder folder;
  const std::string command = (fs::path(binary_dir()) / "gatefold-gengen").string() +
                              " -g gatefold_ffn -f my_ffn -o " + folder.path().string() +
                              " -e assembly variant=swiglu dtype=bf16 d_model=64 d_ff=160 rows=6";
  EXPECT_EQ(output_of(command + " target=arm-64-linux-no_runtime 2>&1"), "");
  const std::string assembly = read(folder.path() / "my_ffn.s");
  EXPECT_NE(assembly.find("fmla\tv"), std::string::npos) << "no NEON kernel";
  EXPECT_NE(output_of(command + " target=riscv-64-linux-no_runtime 2>&1").find("wanted x86-64"),
            std::string::npos);
}

TEST(HalideGenerator, TakesAResidualRightBeforeTheOutput) {
  const TemporaryFolder folder;
  const std::string command = (fs::path(binary_dir()) / "gatefold-gengen").string() +
                              " -g gatefold_ffn -f my_ffn -o " + folder.path().string() +
                              " -e c_header target=x86-64-linux-sse41-avx-f16c-fma-avx2-no_runtime"
                              " variant=relu dtype=f32 bias=true residual=true 2>&1";
  EXPECT_EQ(output_of(command), "");
  const std::string header = read(folder.path() / "my_ffn.h");
  const size_t d_ff = header.find("_d_ff"), residual = header.find("_residual_buffer");
  ASSERT_NE(residual, std::string::npos) << header;
  EXPECT_LT(d_ff, residual);
  EXPECT_LT(residual, header.find("_y_buffer"));
}

}  // namespace
}  // namespace gatefold::test
