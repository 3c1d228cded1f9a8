#include "tuning/winners.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "schedules/space.h"
#include "spec/error.h"
#include "tests/tuning/fake_candidate.h"
#include "tuning/library_plan.h"

namespace gatefold::test {
namespace {

using Json = nlohmann::ordered_json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const char* const kCpu = "a CPU";

Packing packing() { return legal_packings(fake_ffn(), Target::x86_avx2).at(0); }

/// Legal for every bucket of the fake block, and not its default.
std::string point(int mr) {
  return "fusion=gated mr=" + std::to_string(mr) + " streams=1 kb=0 pf=0 unroll=1 mb=0 xpack=1";
}

Winner winner(int64_t rows, int threads, int mr) {
  Winner w;
  w.threads = threads;
  w.cell.bucket.tuned_rows = rows;
  w.cell.point = point(mr);
  w.cell.origin = "tuned";
  w.cell.median_ms = 1.5;
  w.cell.default_ms = 1.75;
  w.cell.runner_up = point(mr + 1);
  w.cell.margin_pct = 2.5;
  w.cell.efficiency = 0.9;
  w.cell.bound = "memory";
  return w;
}

WinnerSet set(std::vector<Winner> winners) {
  WinnerSet s;
  s.key.cpu = kCpu;
  s.key.ffn = fake_ffn();
  s.packing = packing().text();
  s.winners = std::move(winners);
  return s;
}

WinnerQuery query(bool any_cpu = false) { return {fake_ffn(), Target::x86_avx2, kCpu, any_cpu}; }

Schedule schedule(const std::vector<WinnerSet>& sets, const std::vector<int64_t>& rows,
                  const WinnerQuery& wanted = query()) {
  return schedule_from_winners(sets, wanted, rows, cpu_profile_named("generic"));
}

std::vector<int> tiles(const Schedule& s) {
  std::vector<int> mr;
  for (const LibraryKernel& k : s.kernels) mr.push_back(k.spec.point.mr);
  return mr;
}

std::vector<int> threads(const Schedule& s) {
  std::vector<int> counts;
  for (const LibraryKernel& k : s.kernels) counts.push_back(k.record.tuned_threads);
  return counts;
}

std::vector<std::string> origins(const Schedule& s) {
  std::vector<std::string> names;
  for (const LibraryKernel& k : s.kernels) names.push_back(k.record.origin);
  return names;
}

std::string parse_error(const std::string& text) {
  try {
    parse_winners(text, "w.json");
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

std::string edited(const std::function<void(Json&)>& edit) {
  Json json = Json::parse(winners_json({set({winner(1, 1, 1), winner(4, 1, 2)})}));
  edit(json);
  return json.dump();
}

TEST(WinnersFile, ReadsBackWhatItWrote) {
  const std::vector<WinnerSet> written = {set({winner(1, 1, 1), winner(4, 2, 2)})};
  const std::vector<WinnerSet> read = parse_winners(winners_json(written), "w.json");
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(winners_json(read), winners_json(written));
  EXPECT_EQ(read[0].winners[1].threads, 2);
  EXPECT_EQ(read[0].winners[1].cell.margin_pct, 2.5);
  EXPECT_FALSE(read[0].winners[1].cell.unfused_ms);
  EXPECT_TRUE(read[0].current());
}

TEST(WinnersFile, HostileFilesNameFieldFoundAndWanted) {
  EXPECT_THAT(parse_error(""), HasSubstr("w.json: not a JSON file"));
  EXPECT_THAT(parse_error("{\"format\": \"gatefold-win"), HasSubstr("w.json: not a JSON file"));
  EXPECT_THAT(parse_error("[]"), HasSubstr("wanted an object"));
  EXPECT_THAT(parse_error("{}"), HasSubstr("w.json: no field 'format'"));
  EXPECT_THAT(parse_error(edited([](Json& j) { j["format"] = "other"; })),
              HasSubstr("w.json.format: \"other\", wanted \"gatefold-winners\""));
  EXPECT_THAT(parse_error(edited([](Json& j) { j["version"] = 2; })),
              HasSubstr("w.json.version: 2"));
  EXPECT_THAT(parse_error(edited([](Json& j) { j["sets"] = 3; })),
              HasSubstr("w.json.sets: 3, wanted an array"));
  EXPECT_THAT(parse_error(edited([](Json& j) { j["sets"][0]["target"] = "x86-avx3"; })),
              HasSubstr("w.json.sets[0].target: unknown target 'x86-avx3'"));
  EXPECT_THAT(parse_error(edited([](Json& j) { j["sets"][0]["d_model"] = -4; })),
              HasSubstr("w.json.sets[0].d_model: -4, wanted a whole number from 1"));
  EXPECT_THAT(parse_error(edited([](Json& j) { j["sets"][0]["d_ff"] = uint64_t{1} << 63; })),
              HasSubstr("d_ff: 9223372036854775808"));
  EXPECT_THAT(parse_error(edited([](Json& j) { j["sets"][0]["winners"][1]["rows"] = "4"; })),
              HasSubstr("winners[1].rows: \"4\""));
  EXPECT_THAT(parse_error(edited([](Json& j) { j["sets"][0]["winners"][1]["rows"] = 1; })),
              HasSubstr("stand twice"));
  EXPECT_THAT(parse_error(edited([](Json& j) { j["sets"][0]["winners"][0]["point"] = "mr=x"; })),
              HasSubstr("winners[0].point: "));
  EXPECT_THAT(parse_error(edited([](Json& j) { j["sets"][0]["packing"] = "panel=-1"; })),
              HasSubstr("packing: "));
  EXPECT_THAT(parse_error(edited([](Json& j) { j["sets"][0]["parameters"] = "alpha=nan"; })),
              HasSubstr("parameters"));
}

TEST(WinnersFile, HostileWinnersAreNamed) {
  const auto error = [](const char* field, const Json& value) {
    return parse_error(edited([&](Json& j) { j["sets"][0]["winners"][1][field] = value; }));
  };
  for (const char* field : {"point", "runner_up", "default_point"}) {
    EXPECT_THAT(error(field, "mr=x"), HasSubstr(std::string("w.json.sets[0].winners[1].") + field));
  }
  EXPECT_THAT(error("point", ""), HasSubstr("winners[1].point: "));
  EXPECT_THAT(error("median_ms", nullptr),
              HasSubstr("winners[1].median_ms: null, wanted milliseconds above 0"));
  for (const char* field : {"median_ms", "default_ms", "unfused_ms"}) {
    EXPECT_THAT(error(field, 0), HasSubstr(std::string(field) + ": 0, wanted milliseconds"));
    EXPECT_THAT(error(field, -1.5), HasSubstr(std::string(field) + ": -1.5"));
  }
  EXPECT_THAT(error("margin_pct", -101), HasSubstr("margin_pct: -101"));
  EXPECT_THAT(error("ratio_high", -1), HasSubstr("ratio_high: -1"));
  EXPECT_THAT(error("efficiency", 1.2), HasSubstr("efficiency: 1.2, wanted 0 to 1.05"));
  EXPECT_THAT(error("origin", "elsewhere"), HasSubstr("origin: 'elsewhere', wanted 'tuned'"));
  EXPECT_THAT(error("bound", "\x1b[2J"), HasSubstr("bound: "));
}

TEST(WinnersFile, DeepNestingIsNoCrash) {
  EXPECT_THAT(parse_error(std::string(1 << 20, '[')), HasSubstr("nested too deeply"));
  EXPECT_NE(parse_error(std::string(1 << 20, '[') + std::string(1 << 20, ']')), "no error");
}

TEST(ScheduleFromWinners, TakesThePointOfEachBucket) {
  const Schedule s = schedule({set({winner(1, 1, 1), winner(4, 1, 2)})}, {1, 4});
  EXPECT_THAT(tiles(s), ElementsAre(1, 2));
  EXPECT_THAT(origins(s), ElementsAre("tuned", "tuned"));
  EXPECT_THAT(s.notes, IsEmpty());
  EXPECT_EQ(s.kernels[1].record.runner_up, point(3));
  EXPECT_EQ(s.kernels[1].record.margin_pct, 2.5);
  EXPECT_EQ(s.kernels[1].record.tuned_threads, 1);
  EXPECT_EQ(s.kernels[1].spec.rows.rows_max, RowBucket::kOpen);
}

TEST(ScheduleFromWinners, UntunedRowsTakeTheNearest) {
  const Schedule s =
      schedule({set({winner(1, 1, 1), winner(4, 1, 2), winner(64, 1, 3)})}, {2, 5, 128});
  EXPECT_THAT(tiles(s), ElementsAre(1, 2, 3));
}

TEST(ScheduleFromWinners, CarriesEveryThreadCountOnce) {
  const Schedule s =
      schedule({set({winner(1, 2, 3), winner(1, 1, 1), winner(4, 1, 2), winner(4, 2, 2)})}, {1, 4});
  EXPECT_THAT(tiles(s), ElementsAre(1, 3, 2, 2));
  EXPECT_THAT(threads(s), ElementsAre(1, 2, 1, 2));
}

TEST(ScheduleFromWinners, ThreadCountKeepsItsPointThoughAnotherHasTheSame) {
  // Without an entry of its own, 4 threads would take the point of 2.
  const Schedule s = schedule({set({winner(4, 1, 2), winner(4, 2, 1), winner(4, 4, 2)})}, {4});
  EXPECT_THAT(tiles(s), ElementsAre(2, 1, 2));
  EXPECT_THAT(threads(s), ElementsAre(1, 2, 4));
}

TEST(ScheduleFromWinners, OfSeveralRowCountsTheNearestOnesThreadsCount) {
  const Schedule s = schedule({set({winner(1, 1, 1), winner(4, 1, 2), winner(4, 2, 1)})}, {1, 4});
  EXPECT_THAT(threads(s), ElementsAre(1, 1, 2));
}

TEST(ScheduleFromWinners, FiguresAreOfTheRowsAndCpuTheyWereMeasuredOn) {
  WinnerSet foreign = set({winner(4, 1, 2)});
  const Schedule other_rows = schedule({foreign}, {5});
  foreign.key.cpu = "another CPU";
  const Schedule other_cpu = schedule({foreign}, {4}, query(true));
  for (const Schedule& s : {other_rows, other_cpu}) {
    const KernelRecord& record = s.kernels.at(0).record;
    EXPECT_EQ(record.origin, "tuned");
    EXPECT_FALSE(record.median_ms || record.efficiency || record.margin_pct);
    EXPECT_EQ(record.runner_up, "");
  }
  EXPECT_EQ(schedule({set({winner(4, 1, 2)})}, {4}).kernels.at(0).record.median_ms, 1.5);
}

TEST(ScheduleFromWinners, IllegalPointFallsBackToTheDefault) {
  const Schedule s = schedule({set({winner(1, 1, 999), winner(4, 1, 2)})}, {1, 4});
  EXPECT_THAT(origins(s), ElementsAre("default", "tuned"));
  ASSERT_EQ(s.notes.size(), 1u);
  EXPECT_THAT(s.notes[0], HasSubstr("mr=999"));
  for (const LibraryKernel& k : s.kernels) EXPECT_FALSE(why_illegal(k.spec));
}

TEST(ScheduleFromWinners, IllegalPackingFallsBackForAll) {
  WinnerSet odd = set({winner(1, 1, 1)});
  odd.packing = "panel=7 pair=1 k_step=2 group=2";
  const Schedule s = schedule({odd}, {1, 4});
  EXPECT_THAT(origins(s), ElementsAre("default", "default"));
  EXPECT_THAT(s.notes.at(0), HasSubstr("packing"));
}

TEST(ScheduleFromWinners, StaleOnesAreNotUsedAndNotEvenRead) {
  const std::string text = edited([](Json& j) {
    j["sets"][0]["generator_version"] = kGeneratorVersion + 1;
    j["sets"][0]["winners"][0]["point"] = "a tunable of tomorrow=1";
  });
  const Schedule s = schedule(parse_winners(text, "w.json"), {1, 4});
  EXPECT_THAT(origins(s), ElementsAre("default", "default"));
  EXPECT_THAT(s.notes.at(0), HasSubstr("of another generator"));
}

TEST(ScheduleFromWinners, OfThisBlockOnly) {
  WinnerQuery other = query();
  other.ffn.shape.d_ff += 8;
  EXPECT_THAT(schedule({set({winner(1, 1, 1)})}, {1}, other).notes.at(0), HasSubstr("no winners"));
  other = query();
  other.ffn.bias = true;
  EXPECT_THAT(origins(schedule({set({winner(1, 1, 1)})}, {1}, other)), ElementsAre("default"));
  other = query();
  other.ffn.residual = true;
  EXPECT_THAT(origins(schedule({set({winner(1, 1, 1)})}, {1}, other)), ElementsAre("default"));
}

TEST(ScheduleFromWinners, SumsInF16AreAnotherBlock) {
  WinnerSet sums_in_f16 = set({winner(4, 1, 2)});
  set_dtypes(sums_in_f16.key.ffn, "f16_acc16");
  WinnerQuery wanted = query();
  std::string note;
  wanted.ffn.dtype = DType::f16;
  EXPECT_EQ(find_set({sums_in_f16}, wanted, {4}, note), nullptr);
  wanted.ffn = sums_in_f16.key.ffn;
  EXPECT_NE(find_set({sums_in_f16}, wanted, {4}, note), nullptr);
}

TEST(WinnersJson, KeepsTheResidualAndReadsFilesOfBeforeThereWasOne) {
  WinnerSet adding = set({winner(1, 1, 1)});
  adding.key.ffn.residual = true;
  EXPECT_TRUE(parse_winners(winners_json({adding}), "w.json").at(0).key.ffn.residual);
  const std::string old = edited([](Json& j) { j["sets"][0].erase("residual"); });
  EXPECT_FALSE(parse_winners(old, "w.json").at(0).key.ffn.residual);
}

TEST(ScheduleFromWinners, AnotherCpuOnlyIfAllowed) {
  WinnerSet foreign = set({winner(1, 1, 2)});
  foreign.key.cpu = "another CPU";
  EXPECT_THAT(origins(schedule({foreign}, {1})), ElementsAre("default"));
  const Schedule allowed = schedule({foreign}, {1}, query(true));
  EXPECT_THAT(origins(allowed), ElementsAre("tuned"));
  EXPECT_THAT(allowed.notes.at(0), HasSubstr("another CPU"));
  EXPECT_THAT(tiles(schedule({foreign, set({winner(1, 1, 1)})}, {1}, query(true))), ElementsAre(1));
}

std::vector<std::string> matches(const Schedule& s) {
  std::vector<std::string> names;
  for (const LibraryKernel& k : s.kernels) names.push_back(k.record.match);
  return names;
}

TEST(ScheduleFromWinners, ThisCpuBeforeItsMicroArchitectureBeforeAnyOther) {
  const auto of = [](const char* cpu, int mr) {
    WinnerSet s = set({winner(1, 1, mr)});
    s.key.cpu = cpu;
    return s;
  };
  WinnerQuery wanted{fake_ffn(), Target::x86_avx2, "AMD EPYC 7B13 (family 25 model 1)", true};
  EXPECT_EQ(wanted.micro_architecture, "zen3");
  const WinnerSet other = of("Intel(R) Xeon(R) (family 6 model 85)", 1);
  const WinnerSet like = of("AMD Ryzen 5 5600X (family 25 model 33)", 2);
  const WinnerSet own = of("AMD EPYC 7B13 (family 25 model 1)", 3);
  const Schedule exact = schedule({other, like, own}, {1}, wanted);
  EXPECT_THAT(tiles(exact), ElementsAre(3));
  EXPECT_THAT(matches(exact), ElementsAre("cpu"));
  EXPECT_THAT(exact.notes, IsEmpty());
  const Schedule near = schedule({other, like}, {1}, wanted);
  EXPECT_THAT(tiles(near), ElementsAre(2));
  EXPECT_THAT(matches(near), ElementsAre("micro_architecture"));
  EXPECT_THAT(near.notes.at(0), HasSubstr("the same micro-architecture (zen3): AMD Ryzen 5 5600X"));
  const Schedule any = schedule({other}, {1}, wanted);
  EXPECT_THAT(matches(any), ElementsAre("isa"));
  EXPECT_THAT(any.notes.at(0), HasSubstr("the same instructions only: Intel(R) Xeon(R)"));
  EXPECT_THAT(matches(schedule({}, {1}, wanted)), ElementsAre("analytic"));
}

TEST(ScheduleFromWinners, WhatWasMeasuredComesBeforeWhatTheModelSays) {
  WinnerSet modelled = set({winner(4, 1, 1)});
  modelled.winners[0].cell.origin = kModelOrigin;
  WinnerSet measured = set({winner(64, 1, 2)});
  const Schedule s = schedule({modelled, measured}, {4});
  EXPECT_THAT(tiles(s), ElementsAre(2));
  EXPECT_THAT(origins(s), ElementsAre("tuned"));
  EXPECT_THAT(origins(schedule({modelled}, {4})), ElementsAre("model"));
}

TEST(WinnersFile, OnlyTheModelsWinnersMayHaveNoTime) {
  const auto without_time = [](const char* origin) {
    return edited([&](Json& j) {
      j["sets"][0]["winners"][1]["origin"] = origin;
      j["sets"][0]["winners"][1]["median_ms"] = nullptr;
    });
  };
  EXPECT_EQ(parse_error(without_time("model")), "no error");
  EXPECT_THAT(parse_error(without_time("tuned")),
              HasSubstr("sets[0].winners[1].median_ms: null, wanted milliseconds above 0"));
}

TEST(ScheduleFromWinners, ACpuOfUnknownMicroArchitectureMatchesByInstructionsOnly) {
  WinnerSet foreign = set({winner(1, 1, 2)});
  foreign.key.cpu = "another CPU";
  EXPECT_EQ(query().micro_architecture, "");
  EXPECT_THAT(matches(schedule({foreign}, {1}, query(true))), ElementsAre("isa"));
}

TEST(ScheduleFromWinners, NearerRowsDoNotOutweighTheCpu) {
  WinnerSet near_rows = set({winner(4, 1, 2)});
  near_rows.key.cpu = "another CPU";
  const Schedule s = schedule({near_rows, set({winner(64, 1, 3)})}, {4}, query(true));
  EXPECT_THAT(matches(s), ElementsAre("cpu"));
}

TEST(ScheduleFromWinners, FileEditedToAnIllegalTileFallsBackWithANote) {
  const std::string text = edited([](Json& j) {
    std::string point = j["sets"][0]["winners"][0]["point"];
    point.replace(point.find("mr=1"), 4, "mr=31");
    j["sets"][0]["winners"][0]["point"] = point;
  });
  const Schedule s = schedule(parse_winners(text, "w.json"), {1, 4});
  EXPECT_THAT(origins(s), ElementsAre("default", "tuned"));
  EXPECT_THAT(matches(s), ElementsAre("analytic", "cpu"));
  ASSERT_EQ(s.notes.size(), 1u);
  EXPECT_THAT(s.notes[0], HasSubstr("1 rows: default, since point"));
  EXPECT_THAT(s.notes[0], HasSubstr("mr=31"));
}

TEST(LoadWinners, FromADatabaseOfSeveralRuns) {
  const ScratchFolder folder;
  const auto file = folder / "t.db";
  {
    Store store(file, Store::Open::create);
    for (int threads : {1, 2}) {
      WorkloadKey key;
      key.cpu = kCpu;
      key.ffn = fake_ffn();
      key.threads = threads;
      RaceRecord race;
      race.rows = {4};
      race.packing = packing().text();
      race.cells = {winner(4, threads, threads).cell};
      store.save_race(store.workload(key), race);
    }
  }
  const std::vector<WinnerSet> sets = load_winners(file);
  ASSERT_EQ(sets.size(), 1u) << "thread counts of one packing belong together";
  EXPECT_EQ(sets[0].winners.size(), 2u);
  EXPECT_EQ(find_winner(sets[0], 4, 2)->cell.point, point(2));
  EXPECT_EQ(find_winner(sets[0], 9, 1)->cell.point, point(1));
  std::ofstream(folder / "w.json") << winners_json(sets);
  EXPECT_EQ(winners_json(load_winners(folder / "w.json")), winners_json(sets));
}

/// Of the same block and CPU, one by an emulator and one not.
WinnerSet emulated_set(int mr) {
  WinnerSet s = set({winner(4, 1, mr)});
  s.key.emulated = true;
  return s;
}

TEST(EmulatedWinners, AreNeverUsed) {
  const Schedule alone = schedule({emulated_set(3)}, {4}, query(true));
  EXPECT_THAT(origins(alone), ElementsAre("default"));
  EXPECT_THAT(alone.notes, ElementsAre(HasSubstr("were measured under an emulator")));
  EXPECT_THAT(tiles(schedule({emulated_set(3), set({winner(4, 1, 2)})}, {4})), ElementsAre(2));
}

TEST(EmulatedWinners, AreNotExported) {
  const std::vector<WinnerSet> real = {set({winner(4, 1, 2)})};
  EXPECT_EQ(winners_json({emulated_set(3), real[0]}), winners_json(real));
}

TEST(EmulatedWinners, AreRefusedInAFile) {
  const auto with = [](const Json& emulated) {
    return edited([&](Json& j) { j["sets"][0]["emulated"] = emulated; });
  };
  EXPECT_EQ(parse_error(with(false)), "no error");
  EXPECT_THAT(
      parse_error(with(true)),
      HasSubstr("sets[0].emulated: true, wanted false: what an emulator took says nothing"));
  EXPECT_THAT(parse_error(with("yes")),
              HasSubstr("sets[0].emulated: \"yes\", wanted true or false"));
}

TEST(EmulatedWinners, StandApartInADatabase) {
  const ScratchFolder folder;
  Store store(folder / "t.db", Store::Open::create);
  for (const bool emulated : {false, true}) {
    WorkloadKey key;
    key.cpu = kCpu;
    key.ffn = fake_ffn();
    key.emulated = emulated;
    RaceRecord race;
    race.rows = {4};
    race.packing = packing().text();
    race.cells = {winner(4, 1, emulated ? 3 : 2).cell};
    store.save_race(store.workload(key), race);
  }
  const std::vector<WinnerSet> sets = winners_of(store);
  ASSERT_EQ(sets.size(), 2u);
  EXPECT_NE(sets[0].key.emulated, sets[1].key.emulated);
  EXPECT_THAT(tiles(schedule(sets, {4})), ElementsAre(2));
}

TEST(PlanLibrary, AProfileStandsForItsMicroArchitecture) {
  const ScratchFolder folder;
  WinnerSet zen3 = set({winner(1, 1, 1)}), zen4 = set({winner(1, 1, 2)});
  zen3.key.cpu = "AMD EPYC (family 25 model 1)";
  zen4.key.cpu = "AMD EPYC (family 25 model 17)";
  std::ofstream(folder / "w.json") << winners_json({zen3, zen4});
  LibraryRequest request;
  request.ffn = fake_ffn();
  request.targets = {Target::x86_avx2};
  request.rows = {1};
  request.schedule = folder / "w.json";
  for (const auto& [profile, mr] : {std::pair("zen3", 1), std::pair("zen4", 2)}) {
    request.cpu = cpu_profile_named(profile);
    const LibraryKernel kernel = plan_library(request).plan.kernels.at(0);
    EXPECT_EQ(kernel.spec.point.mr, mr) << profile;
    EXPECT_EQ(kernel.record.match, "micro_architecture");
    EXPECT_FALSE(kernel.record.median_ms) << "not measured on this very CPU";
  }
  request.cpu = cpu_profile_named("icelake");
  EXPECT_EQ(plan_library(request).plan.kernels.at(0).record.match, "isa");
}

TEST(LoadWinners, NeitherDatabaseNorWinners) {
  const ScratchFolder folder;
  std::ofstream(folder / "x") << "hello";
  EXPECT_THROW(load_winners(folder / "x"), Error);
  EXPECT_THROW(load_winners(folder / "missing"), Error);
}

TEST(ShippedWinners, AreReadableAndLegal) {
  for (const WinnerSet& s : shipped_winners()) {
    EXPECT_TRUE(s.current()) << s.key.cpu;
    for (const Winner& w : s.winners) {
      KernelSpec kernel;
      kernel.ffn = s.key.ffn;
      kernel.target = s.key.target;
      kernel.rows = {w.cell.bucket.tuned_rows, w.cell.bucket.tuned_rows, w.cell.bucket.tuned_rows};
      kernel.packing = parse_packing(s.packing);
      kernel.point = parse_point(w.cell.point);
      EXPECT_FALSE(why_illegal(kernel)) << w.cell.point;
    }
  }
}

}  // namespace
}  // namespace gatefold::test
