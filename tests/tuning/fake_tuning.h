#pragma once

#include <functional>

#include "tests/tuning/fake_candidate.h"
#include "tuning/tune.h"

namespace gatefold::test {

/// What a fake compiler makes of a kernel, by its kernel: behaviours may be set, errors thrown.
using Behave = std::function<void(Fake&)>;

/// A request in this folder (database t.db, lock) whose compiler makes fakes. The strategy's
/// proposals do not depend on times, so that runs can be compared.
TuneRequest fake_tune_request(const ScratchFolder& folder, int trials, Behave behave);

/// The key of its workload.
WorkloadKey fake_workload(const FfnSpec& ffn = fake_ffn());

/// Whether the kernel is the default of its place.
bool is_default(const KernelSpec& kernel);

/// --full on the test program's command line: more moments, more trials, minutes instead of
/// seconds. `gatefold_tuning_tests --gtest_filter='Robust*' --full`
bool full_variant();

}  // namespace gatefold::test
