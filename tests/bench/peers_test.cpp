// Competitors in processes of their own: what `bench` makes of good and of bad ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/interleaved.h"
#include "tests/bench/judged_library.h"
#include "tests/support/paths.h"

namespace gatefold::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Peers : public JudgedLibrary {
 protected:
  void SetUp() override {
    JudgedLibrary::SetUp();
    if (!IsSkipped()) build({{1, 1}});
  }

  /// An entry as bench/run_peers.sh writes them.
  void add_entry(const std::string& name, const nlohmann::json& entry) {
    std::filesystem::create_directories(peers());
    std::ofstream(peers() / (name + ".json")) << entry;
  }
  void add_fake(const std::string& name, const std::string& fault, double seconds = 60) {
    const std::string script = source_dir() + "/tests/bench/fake_peer.py";
    add_entry(name,
              {{"command", {python_with_numpy(), "-B", script, fault}}, {"seconds", seconds}});
  }
  std::filesystem::path peers() const { return folder_.path() / "peers"; }

  std::vector<BenchCell> bench(const std::string& vs, const std::vector<int64_t>& rows = {3}) {
    const LoadedLibrary library(manifest_);
    Contest contest = this->contest(library, rows.front(), 1);
    contest.rows = rows;
    const BenchOptions options{.cold = false, .seconds = 0, .min_rounds = 6, .max_rounds = 6};
    return run_interleaved(contest, contenders_named(vs, peers()), options).cells;
  }

  /// The only other one's cell.
  BenchCell cell_of(const std::string& fault, double seconds = 60) {
    add_fake("fake", fault, seconds);
    const std::vector<BenchCell> cells = bench("fake");
    EXPECT_EQ(cells.size(), 2u);
    EXPECT_TRUE(cells.at(0).ok) << cells.at(0).note;
    return cells.at(1);
  }
};

TEST_F(Peers, ARightOneIsTimedAndCompared) {
  const BenchCell cell = cell_of("");
  EXPECT_TRUE(cell.ok) << cell.note;
  EXPECT_TRUE(cell.ran);
  EXPECT_FALSE(cell.own);
  EXPECT_GT(cell.min_ms, 0);
  EXPECT_EQ(cell.kernel, "numpy");
  EXPECT_EQ(cell.weight_bytes, 3 * 32 * 64 * 4);
  ASSERT_TRUE(cell.ratio);
  EXPECT_EQ(cell.ratio->rounds, 6u);
  EXPECT_GT(cell.ratio->low, 0);
  EXPECT_LE(cell.ratio->low, cell.ratio->ratio);
  EXPECT_GE(cell.ratio->high, cell.ratio->ratio);
}

TEST_F(Peers, AWrongOneIsShownSo) {
  const BenchCell cell = cell_of("wrong");
  EXPECT_TRUE(cell.ran);
  EXPECT_FALSE(cell.ok);
  EXPECT_THAT(cell.note, HasSubstr("row 2"));
}

TEST_F(Peers, OneThatCannotSaysWhy) {
  EXPECT_EQ(cell_of("declines").note, "not run: no swiglu here");
  EXPECT_EQ(cell_of("raises").note, "not run: ValueError: two lines");
  EXPECT_EQ(cell_of("dies").note,
            "not run: ended with exit status 1: fake: cannot find its library");
  EXPECT_EQ(cell_of("garbage").note, "not run: wrote 'OpenMP: warning', wanted a JSON object");
  EXPECT_THAT(cell_of("no numbers").note,
              StartsWith("not run: answered without a number 'weight_bytes': "));
  const BenchCell cell = cell_of("declines");
  EXPECT_FALSE(cell.ran);
  EXPECT_FALSE(cell.ok);
  EXPECT_FALSE(cell.ratio);
}

TEST_F(Peers, NoneAddsAResidual) {
  residual_ = true;
  build({{1, 1}});
  EXPECT_EQ(cell_of("").note, "not run: adds no residual, which the library does");
}

TEST_F(Peers, OneThatDoesNotAnswerIsLeft) {
  EXPECT_THAT(cell_of("hangs", 3).note, StartsWith("not run: no answer to '"));
}

TEST_F(Peers, ATimeLongerThanTheWaitIsNotBelieved) {
  EXPECT_THAT(cell_of("boasts").note, StartsWith("not run: says that its call took 1000000"));
}

TEST_F(Peers, TheOthersGoOnWithoutOneThatDies) {
  add_fake("a", "dies later");
  add_fake("b", "");
  add_entry("c", {{"unavailable", "c 1.0: no such package"}});
  add_entry("d", {{"command", {"/nowhere/peer"}}});
  const std::vector<BenchCell> cells = bench("a,b,c,d", {3, 4});
  ASSERT_EQ(cells.size(), 10u);
  for (const size_t at : {size_t{0}, size_t{5}}) {
    EXPECT_TRUE(cells[at].ok);
    EXPECT_EQ(cells[at + 1].note, "not run: ended with exit status 7");
    EXPECT_TRUE(cells[at + 2].ok) << cells[at + 2].note;
    EXPECT_EQ(cells[at + 3].note, "not run: c 1.0: no such package");
    EXPECT_THAT(cells[at + 4].note, HasSubstr("/nowhere/peer"));
  }
}

TEST_F(Peers, AllAreThoseOfTheFolder) {
  add_fake("second", "");
  add_fake("first", "");
  const auto names = [](const std::vector<ContenderInfo>& contenders) {
    std::vector<std::string> result;
    for (const ContenderInfo& c : contenders) result.push_back(c.name);
    return result;
  };
  EXPECT_THAT(names(contenders_named("all", peers())), ElementsAre("unfused", "first", "second"));
  EXPECT_THAT(names(contenders_named("all", folder_ / "none")), ElementsAre("unfused"));
  EXPECT_THAT(names(contenders_named("second,unfused", peers())), ElementsAre("second", "unfused"));
}

std::string usage_error(const std::string& list, const std::filesystem::path& peers) {
  try {
    contenders_named(list, peers);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST_F(Peers, AMissingOneIsPointedAtTheInstaller) {
  EXPECT_THAT(usage_error("onednn", folder_ / "none"), HasSubstr("bench/run_peers.sh"));
}

TEST_F(Peers, MalformedEntriesAreNamed) {
  const auto error_with = [&](const std::string& text) {
    std::filesystem::create_directories(peers());
    std::ofstream(peers() / "p.json") << text;
    return error_of([&] { contenders_named("all", peers()); });
  };
  const std::string file = (peers() / "p.json").string() + ": ";
  EXPECT_EQ(error_with("{"), file + "not a JSON object");
  EXPECT_EQ(error_with("{}"), file + "field 'command': missing, or say why in 'unavailable'");
  EXPECT_EQ(error_with(R"({"command": 3})"), file + "field 'command': 3, wanted a list of texts");
  EXPECT_EQ(error_with(R"({"command": ["x"], "seconds": 0})"),
            file + "field 'seconds': wanted more than 0");
}

}  // namespace
}  // namespace gatefold::test
