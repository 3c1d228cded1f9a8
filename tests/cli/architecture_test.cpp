// Targets of another architecture: what needs no cross tools. Theirs are in tests/neon.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cli/spec_options.h"
#include "spec/machine.h"
#include "spec/target.h"
#include "tests/cli/block_files.h"
#include "tests/cli/gatefold_process.h"
#include "tests/formats/files.h"

namespace gatefold::test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

const TargetInfo& foreign_target() {
  for (const TargetInfo& target : all_targets()) {
    if (target.arch != host_arch()) return target;
  }
  throw std::logic_error("there is one architecture only");
}

const std::string kForeign = info(foreign_target().arch).name, kHere = info(host_arch()).name;

TEST(Architecture, ListTargetsSaysWhoseTheyAreAndThatTheyAreNotUsableHere) {
  const auto json = gatefold({"list", "targets", "--json"}).json();
  int foreign = 0;
  for (const auto& item : json["items"]) {
    const TargetInfo& target = target_named(item["name"].get<std::string>());
    EXPECT_EQ(item["architecture"], info(target.arch).name);
    if (target.arch == host_arch()) continue;
    ++foreign;
    EXPECT_EQ(item["usable"], false);
  }
  EXPECT_GT(foreign, 0);
}

TEST(Architecture, ListCpusSaysWhoseTheyAreAndWhatTheyHave) {
  const auto json = gatefold({"list", "cpus", "--json"}).json();
  ASSERT_EQ(json["items"].size(), all_cpu_profiles().size());
  for (size_t i = 0; i < all_cpu_profiles().size(); ++i) {
    const auto& item = json["items"][i];
    const CpuProfile& cpu = all_cpu_profiles()[i];
    EXPECT_EQ(item["name"], cpu.name);
    EXPECT_EQ(item["l1d"], cpu.l1d);
    EXPECT_EQ(item["l2"], cpu.l2);
    EXPECT_EQ(item["l3"], cpu.l3);
    if (cpu.name == "generic") {
      EXPECT_TRUE(item["architecture"].is_null() && item["vector_registers"].is_null()) << item;
      continue;
    }
    const TargetInfo& best = target_named(item["target"].get<std::string>());
    EXPECT_EQ(item["architecture"], info(best.arch).name);
    EXPECT_EQ(item["vector_registers"], best.vector_registers);
    EXPECT_EQ(item["vector_bits"], best.vector_lanes * 32);
  }
  const std::string table = gatefold({"list", "cpus"}).out;
  EXPECT_THAT(table, testing::ContainsRegex("zen3 +x86_64 +x86-avx2 +16 x 256 bits +32 KiB"));
  EXPECT_THAT(table, testing::ContainsRegex("apple-m1 +arm64 .*32 x 128 bits +128 KiB"));
}

TEST(Architecture, AnEmptyCpuIsNoProfile) {
  const TempFolder folder;
  const Outcome outcome = gatefold({"generate", "--variant", "relu", "--d-model", "8", "--d-ff",
                                    "8", "--cpu", "", "-o", folder / "lib"});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
  EXPECT_THAT(outcome.err, HasSubstr("unknown CPU profile '' (there are: generic zen3"));
  EXPECT_THAT(folder.names(), testing::IsEmpty());
}

TEST(Architecture, OfThisMachineIsWhatHostMeans) {
  cli::SpecOptions options;
  options.variant = "relu";
  options.d_model = options.d_ff = "8";
  EXPECT_EQ(arch_of(cli::resolve(options).targets), host_arch());
}

TEST(Architecture, TheDefaultDtypeForAnotherOneIsF32) {
  cli::SpecOptions options;
  options.variant = "relu";
  options.d_model = options.d_ff = "8";
  options.target = foreign_target().name;
  EXPECT_EQ(cli::resolve(options).ffn.dtype, DType::f32);
}

TEST(Architecture, TuningForAnotherOneWantsAWorker) {
  const TempFolder folder;
  const Outcome outcome =
      gatefold({"tune", "--variant", "relu", "--d-model", "64", "--d-ff", "64", "--target",
                foreign_target().name, "--db", folder / "t.db", "--trials", "1"});
  EXPECT_EQ(outcome.exit_code, 3) << outcome.err;
  EXPECT_THAT(outcome.err,
              HasSubstr("--target: '" + foreign_target().name +
                        "' is not available here: this machine is " + kHere + "; wanted --worker"));
  EXPECT_THAT(folder.names(), testing::IsEmpty());
}

TEST(Architecture, LibrariesForAnotherOneAreNotOpened) {
  const TempFolder folder;
  std::string manifest = content(library_manifest("cli_swiglu"));
  const std::string field = "\"architecture\": \"" + kHere + "\"";
  ASSERT_THAT(manifest, HasSubstr(field));
  manifest.replace(manifest.find(field), field.size(), "\"architecture\": \"" + kForeign + "\"");
  folder.file("cli_swiglu.json", manifest);
  const std::string path = folder / "cli_swiglu.json";
  for (const char* command : {"check", "bench"}) {
    const Outcome outcome = gatefold({command, "--library", path});
    EXPECT_EQ(outcome.exit_code, 3) << outcome.err;
    EXPECT_THAT(outcome.err, EndsWith("cli_swiglu.json: the library's kernels are for " + kForeign +
                                      ", this machine is " + kHere + "\n"));
  }
}

TEST(Devices, AreListedWithWhatTheyAre) {
  const auto json = gatefold({"list", "targets", "--json"}).json();
  for (const TargetInfo& target : device_targets()) {
    const auto found = std::find_if(json["items"].begin(), json["items"].end(),
                                    [&](const auto& item) { return item["name"] == target.name; });
    ASSERT_NE(found, json["items"].end()) << target.name;
    EXPECT_EQ((*found)["device"], name(target.device));
    EXPECT_TRUE((*found)["vector_bits"].is_null());
  }
}

TEST(Devices, AreRefusedByWhatKnowsCpusOnly) {
  const TempFolder folder;
  for (const TargetInfo& target : device_targets()) {
    const Outcome outcome =
        gatefold({"tune", "--db", folder / "t.db", "--trials", "1", "--variant", "relu",
                  "--d-model", "64", "--d-ff", "64", "--target", target.name});
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("--target: '" + target.name + "' is of a device"));
    EXPECT_THAT(folder.names(), testing::IsEmpty());
  }
}

TEST(Devices, HaveASpaceToShow) {
  const auto json =
      gatefold({"tune", "--space", "--variant", "swiglu", "--d-model", "512", "--d-ff", "1365",
                "--rows", "1,64", "--target", "cuda-sm80", "--json"})
          .json();
  EXPECT_THAT(json["compile_time"], testing::Contains("ks"));
  for (const auto& place : json["places"]) EXPECT_GT(place["legal"], 0) << place["packing"];
}

}  // namespace
}  // namespace gatefold::test
