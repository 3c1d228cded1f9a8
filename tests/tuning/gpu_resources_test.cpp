#include "tuning/gpu_resources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec/error.h"

namespace gatefold::test {
namespace {

using testing::HasSubstr;

/// What ptxas 13.0 prints, but for names, and with a function that an entry calls.
constexpr const char* kText = R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'block_down' for 'sm_80'
ptxas info    : Function properties for block_down
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 72 registers, used 1 barriers, 1056 bytes smem, 400 bytes cmem[0], 8 bytes cmem[2]
ptxas info    : Compile time = 23.783 ms
ptxas info    : Compiling entry function 'block_hidden' for 'sm_80'
ptxas info    : Function properties for block_hidden
    24 bytes stack frame, 40 bytes spill stores, 36 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 408 bytes cmem[0]
ptxas info    : Function properties for helper
    96 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads
)";

TEST(PtxasText, HasWhatEachEntryTakes) {
  const std::vector<EntryResources> entries = parse_ptxas(kText);
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].name, "block_down");
  EXPECT_EQ(entries[0].registers, 72);
  EXPECT_EQ(entries[0].shared_bytes, 1056);
  EXPECT_EQ(entries[0].stack_bytes, 0);
  EXPECT_EQ(entries[0].spill_bytes, 0);
  EXPECT_EQ(entries[1].name, "block_hidden");
  EXPECT_EQ(entries[1].registers, 255);
  EXPECT_EQ(entries[1].stack_bytes, 24);
  EXPECT_EQ(entries[1].spill_bytes, 76);
}

TEST(PtxasText, OneThatIsCutOffIsAnError) {
  const std::string text = kText;
  const std::string cut = text.substr(0, text.find("ptxas info    : Used 255"));
  try {
    parse_ptxas(cut);
    FAIL() << "it has no registers of block_hidden";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "ptxas: no count of registers for 'block_hidden'");
  }
  EXPECT_TRUE(parse_ptxas("").empty());
  EXPECT_TRUE(parse_ptxas("ptxas fatal   : Unresolved extern function 'x'\n").empty());
}

TEST(PtxasText, SpillsAndStacksAreRefused) {
  const std::vector<EntryResources> entries = parse_ptxas(kText);
  EXPECT_FALSE(why_refused(entries[0]));
  EXPECT_EQ(why_refused(entries[1]).value_or(""),
            "block_hidden: spills 76 bytes with 255 registers, wanted none");
  EntryResources stack{"block_y", 40};
  stack.stack_bytes = 16;
  EXPECT_THAT(why_refused(stack).value_or(""), HasSubstr("a stack of 16 bytes"));
}

TEST(PtxasText, EntriesStandInTheOrderOfTheLaunches) {
  const std::vector<EntryResources> entries = parse_ptxas(kText);
  const auto in_order = entries_of({{"gate/up", "_hidden"}, {"down", "_down"}}, entries);
  ASSERT_EQ(in_order.size(), 2u);
  EXPECT_EQ(in_order[0].name, "block_hidden");
  EXPECT_EQ(in_order[1].name, "block_down");
  try {
    entries_of({{"sum", "_sum"}}, entries);
    FAIL() << "there is no sum";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "ptxas: no entry of 'sum'");
  }
}

}  // namespace
}  // namespace gatefold::test
