#pragma once

#include <string>
#include <vector>

#include "cli/output.h"
#include "tuning/distil.h"
#include "tuning/sweep.h"

namespace gatefold::cli {

/// A sweep's end: the winners, and what its trials say of all cells together.
struct SweepTables {
  SweepResult result;
  std::vector<LeftOneOut> left_one_out;
  std::vector<Distilled> distilled;
};

/// What a sweep will do, before it does it; one line each.
std::vector<std::string> plan_lines(const SweepPlan& plan, const SweepWork& work,
                                    const SweepFile& file, const std::string& database);
Json plan_json(const SweepPlan& plan, const SweepWork& work);
Json left_out_json(const SweepPlan& plan);

void print_tables(const SweepTables& tables);

/// "cells", "failed", "leave_one_out" and "distil" into the command's object.
void add_tables(Json& json, const SweepTables& tables);

}  // namespace gatefold::cli
