#include "tuning/recorded_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "formats/gzip.h"
#include "spec/error.h"
#include "tests/formats/files.h"
#include "tests/tuning/fake_candidate.h"
#include "tests/tuning/synthetic_space.h"
#include "tuning/record.h"

namespace gatefold::test {
namespace {

using testing::HasSubstr;

RecordedSpace a_space() {
  RecordedSpace s = synthetic_space(4, {64, 160});
  s.points.resize(3);
  s.points[0].ms = 0.125;
  s.points[2].ms = 0.12345678901234567;
  s.points[1] = {s.points[1].packing, s.points[1].point, TrialKind::crash, kUnknown};
  s.key.ffn.bias = true;
  s.key.threads = 2;
  s.key.cpu = "A CPU (family 25 model 1)";
  return s;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

std::string error_with(const std::string& from, const std::string& to) {
  const std::string csv = replaced(recorded_space_csv(a_space()), from, to);
  return error_of([&] { parse_recorded_space(csv, "s.csv.gz"); });
}

TEST(RecordedSpace, ComesBackAsItWas) {
  const TempFolder folder;
  const RecordedSpace space = a_space();
  write_recorded_space(folder / "s.csv.gz", space);
  const RecordedSpace back = read_recorded_space(folder / "s.csv.gz");
  EXPECT_EQ(recorded_space_csv(back), recorded_space_csv(space));
  EXPECT_EQ(back.key.cpu, space.key.cpu);
  EXPECT_EQ(back.key.threads, 2);
  EXPECT_EQ(back.rows, 4);
  EXPECT_TRUE(back.key.ffn.bias);
  ASSERT_EQ(back.points.size(), 3u);
  EXPECT_EQ(back.points[0].ms, space.points[0].ms);
  EXPECT_EQ(back.points[2].ms, space.points[2].ms);
  EXPECT_EQ(back.points[0].point, space.points[0].point);
  EXPECT_EQ(back.points[1].kind, TrialKind::crash);
  EXPECT_TRUE(std::isnan(back.points[1].ms));
}

TEST(RecordedSpace, ItsSearchSpaceIsThatOfTheRecordingMachine) {
  RecordedSpace space = a_space();
  space.caches.l3 = 12345678;
  const SearchSpace search = parse_recorded_space(recorded_space_csv(space), "s").search_space();
  EXPECT_EQ(search.cpu.l3, 12345678);
  ASSERT_EQ(search.buckets.size(), 1u);
  EXPECT_EQ(search.buckets[0].tuned_rows, 4);
}

TEST(RecordedSpace, WrongHeadersAreRefusedByLine) {
  EXPECT_THAT(error_with("# gatefold-space 1", "# gatefold-space 2"),
              HasSubstr("s.csv.gz: line 1: '# gatefold-space 2', wanted '# gatefold-space 1'"));
  EXPECT_THAT(error_with("# rows: 4\n", ""), HasSubstr("no line '# rows: "));
  EXPECT_THAT(error_with("# rows: 4", "# rows: 0"), HasSubstr("rows: '0', wanted a whole number"));
  EXPECT_THAT(error_with("# rows: 4", "# rows: 4x"), HasSubstr("rows: '4x'"));
  EXPECT_THAT(error_with("# rows: 4", "# rows: 4\n# rows: 5"), HasSubstr("line 11: 'rows' stands"));
  EXPECT_THAT(error_with("# rows: 4", "# rows: 4\n# lines: 5"), HasSubstr("unknown 'lines'"));
  EXPECT_THAT(error_with("# rows: 4", "# rows"), HasSubstr("'# rows', wanted '# name: value'"));
  EXPECT_THAT(error_with("swiglu", "swigloo"), HasSubstr("swigloo"));
  EXPECT_THAT(error_with("x86-avx2", "x86-avx3"), HasSubstr("x86-avx3"));
  EXPECT_THAT(error_with("# dtype: f32", "# dtype: f33"), HasSubstr("f33"));
  EXPECT_THAT(error_with("# l2: ", "# l2: -"), HasSubstr("l2: '-"));
  EXPECT_THAT(error_with("point,kind", "kind,point"), HasSubstr("wanted 'packing,point,kind,ms'"));
}

TEST(RecordedSpace, WrongPointsAreRefusedByLine) {
  EXPECT_THAT(error_with(" mr=", " mrr="),
              HasSubstr("line 19: schedule point: unknown name 'mrr'"));
  EXPECT_THAT(error_with("panel=8", "panel=x"), HasSubstr("line 19: schedule point: panel=x"));
  EXPECT_THAT(error_with("ok,0.125", "ok,-0.125"), HasSubstr("line 19: '-0.125', wanted ms above"));
  for (const char* ms : {"nan", "inf", "", "0", "1e999", "0x1p1", "0,125", "0.125 "}) {
    EXPECT_THAT(error_with("ok,0.125\n", std::string("ok,") + ms + "\n"), HasSubstr("line 19: "))
        << ms;
  }
  EXPECT_THAT(error_with("crash,", "crash,1"), HasSubstr("line 20: '1', wanted no ms"));
  EXPECT_THAT(error_with("crash", "crashed"), HasSubstr("line 20: "));
  EXPECT_THAT(error_with("crash,", "crash"), HasSubstr("wanted 4 cells, not 3"));
  EXPECT_THAT(error_with("crash,\n", "crash,\x1b[2J\n"), HasSubstr("wanted printable ASCII"));
  RecordedSpace twice = a_space();
  twice.points.push_back(twice.points[0]);
  twice.points.back().ms = 1;
  EXPECT_THAT(error_of([&] { parse_recorded_space(recorded_space_csv(twice), "s"); }),
              HasSubstr("line 22: 'fusion="));
  twice.points.clear();
  EXPECT_THAT(error_of([&] { parse_recorded_space(recorded_space_csv(twice), "s"); }),
              HasSubstr("no points"));
}

TEST(RecordedSpace, EveryCutIsAnErrorOrLacksPoints) {
  const std::string csv = recorded_space_csv(a_space());
  size_t complete = 0;
  for (size_t length = 0; length < csv.size(); ++length) {
    try {
      complete += parse_recorded_space(csv.substr(0, length), "s").points.size() < 3;
    } catch (const Error&) {
    }
  }
  EXPECT_EQ(complete, 2u) << "cut at the ends of the lines of the first two points";
}

TEST(RecordedSpace, FilesThatAreNoneAreRefused) {
  const TempFolder folder;
  const auto error = [&](const std::string& name) {
    return error_of([&] { read_recorded_space(folder / name); });
  };
  folder.file("text.csv.gz", recorded_space_csv(a_space()));
  EXPECT_THAT(error("text.csv.gz"), HasSubstr("text.csv.gz: no gzip data"));
  const std::string packed = gzip(recorded_space_csv(a_space()));
  folder.file("cut.csv.gz", packed.substr(0, packed.size() / 2));
  EXPECT_THAT(error("cut.csv.gz"), HasSubstr("cut.csv.gz: ends in the middle"));
  folder.file("bomb.csv.gz", gzip(std::string(size_t{65} << 20, ' ')));
  EXPECT_THAT(error("bomb.csv.gz"), HasSubstr("bomb.csv.gz: unpacks to more than"));
  EXPECT_THAT(error("none.csv.gz"), HasSubstr("none.csv.gz"));
}

class Recording : public testing::Test {
 protected:
  Recording() {
    request_.ffn = fake_ffn();
    request_.rows = {2};
    request_.threads = 1;
    request_.database = folder_ / "t.db";
    request_.cpu = cpu_profile_named("generic");
    request_.cpu_name = "a CPU";
    Store store(request_.database, Store::Open::create);
    WorkloadKey key;
    key.cpu = "a CPU";
    key.ffn = fake_ffn();
    const int64_t workload = store.workload(key);
    RecordedSpace space;
    space.key = key;
    space.caches = request_.cpu;
    space.rows = 2;
    const SearchSpace search = space.search_space();
    TrialRecord trial;
    trial.bucket = search.buckets[0];
    trial.packing = search.packings[0];
    trial.point = search.default_point(0, 0);
    trial.proposer = "default";
    trial.result.median_ms = 2;
    trial.result.ratio = 1;
    store.add_trial(workload, trial);
    trial.point.xpack = 1 - trial.point.xpack;
    trial.result.median_ms = 77;  // from another request, in which the default took longer too
    trial.result.ratio = 0.5;
    store.add_trial(workload, trial);
    trial.point.mr = 1;
    trial.result = {};
    trial.result.kind = TrialKind::crash;
    store.add_trial(workload, trial);
  }

  ScratchFolder folder_;
  TuneRequest request_;
};

TEST_F(Recording, HoldsWhatTheStrategiesWereTold) {
  const RecordedSpace space = recorded_trials(request_);
  ASSERT_EQ(space.points.size(), 3u);
  std::map<TrialKind, std::vector<double>> ms;
  for (const RecordedPoint& p : space.points) ms[p.kind].push_back(p.ms);
  std::sort(ms[TrialKind::ok].begin(), ms[TrialKind::ok].end());
  EXPECT_EQ(ms[TrialKind::ok], (std::vector<double>{1, 2}));
  EXPECT_EQ(ms[TrialKind::crash].size(), 1u);
  EXPECT_EQ(space.key.cpu, "a CPU");
  EXPECT_EQ(parse_recorded_space(recorded_space_csv(space), "s").points.size(), 3u);
}

TEST_F(Recording, WrongRequests) {
  const auto error = [&](const TuneRequest& r) {
    try {
      recorded_trials(r);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  TuneRequest r = request_;
  r.rows = {2, 8};
  EXPECT_THAT(error(r), HasSubstr("--record: 2 row buckets"));
  r = request_;
  r.rows = {3};
  EXPECT_THAT(error(r), HasSubstr("no trials of this block at 3 rows"));
  r = request_;
  r.database = folder_ / "none.db";
  EXPECT_THAT(error(r), HasSubstr("none.db"));
  r = request_;
  r.ffn.shape.d_ff = Shape::kAny;
  EXPECT_THAT(error(r), HasSubstr("--record: sizes"));
}

}  // namespace
}  // namespace gatefold::test
