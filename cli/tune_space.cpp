#include "cli/tune_space.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "cli/output.h"
#include "schedules/space.h"

namespace gatefold::cli {
namespace {

/// The space of one packing and row bucket.
struct Place {
  KernelSpec kernel;
  SpaceCensus census;

  int64_t refused() const { return census.product - census.legal; }
};

std::vector<Place> places_of(const Spec& spec, Target target) {
  std::vector<Place> places;
  for (const Packing& packing : legal_packings(spec.ffn, target)) {
    for (const RowBucket& rows : row_buckets(spec.rows)) {
      const KernelSpec kernel{spec.ffn, target, rows, packing, {}};
      places.push_back({kernel, census(kernel)});
    }
  }
  return places;
}

std::vector<std::string> compile_time_tunables(const KernelSpec& kernel) {
  std::vector<std::string> names = {"fusion"};
  for (const Axis& axis : axes(kernel)) names.push_back(axis.name);
  return names;
}

Json json_of(const Place& place) {
  Json axes = {{"fusion", place.census.fusions}}, refused = Json::array();
  for (const Axis& axis : place.census.axes) axes[axis.name] = axis.values;
  for (const auto& [tunable, r] : place.census.refused) {
    refused.push_back({{"tunable", tunable}, {"points", r.points}, {"example", r.example}});
  }
  const RowBucket& rows = place.kernel.rows;
  return {{"packing", place.kernel.packing.text()},
          {"rows", rows.tuned_rows},
          {"rows_min", rows.rows_min},
          {"rows_max", rows.rows_max == RowBucket::kOpen ? Json() : Json(rows.rows_max)},
          {"product", place.census.product},
          {"legal", place.census.legal},
          {"axes", axes},
          {"refused", refused}};
}

Json json_of(const std::vector<Place>& places, Target target) {
  Json list = Json::array();
  for (const Place& place : places) list.push_back(json_of(place));
  return {{"target", info(target).name},
          {"compile_time", compile_time_tunables(places.front().kernel)},
          {"run_time", Json::array()},
          {"places", list}};
}

void print_place(const Place& place) {
  print_line(fmt::format("\n{}, {} rows: {} legal points of {}", place.kernel.packing.text(),
                         place.kernel.rows.tuned_rows, place.census.legal, place.census.product));
  Table axes({"tunable", "values"});
  axes.add({"fusion", fmt::format("{}", fmt::join(place.census.fusions, " "))});
  for (const Axis& axis : place.census.axes) {
    axes.add({axis.name, fmt::format("{}", fmt::join(axis.values, " "))});
  }
  axes.print();
  Table refused({">refused", "because of", "for example"});
  for (const auto& [tunable, r] : place.census.refused) {
    refused.add({std::to_string(r.points), tunable, r.example});
  }
  refused.print();
}

}  // namespace

void print_space(const Spec& spec, Target target, bool json) {
  const std::vector<Place> places = places_of(spec, target);
  if (json) return print_json(json_of(places, target));
  int64_t legal = 0;
  for (const Place& place : places) legal += place.census.legal;
  print_line(fmt::format("{} on {}: {} legal points in {} places (packing and rows)",
                         describe(spec.ffn), info(target).name, legal, places.size()));
  print_line(fmt::format("compile-time tunables, a kernel for each value: {}",
                         fmt::join(compile_time_tunables(places.front().kernel), " ")));
  print_line("run-time tunables: none");
  for (const Place& place : places) print_place(place);
}

}  // namespace gatefold::cli
