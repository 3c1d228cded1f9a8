#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "spec/dtype.h"
#include "spec/machine.h"
#include "spec/target.h"
#include "tuning/roof.h"

namespace gatefold {

/// The machine that a worker runs on: trials are keyed by it, whoever asked for them.
struct WorkerMachine {
  std::string cpu;              ///< as host_cpu_name()
  CpuProfile profile;           ///< its caches
  std::vector<Target> targets;  ///< that it runs, lowest first
  DType dtype = DType::f32;     ///< its host_dtype()
  int threads = 1;              ///< that a process may use there
  std::string emulator;         ///< as this_emulator(): its times say nothing of the CPU

  bool emulated() const { return !emulator.empty(); }
  bool runs(Target target) const;
};

/// This machine. Error (unavailable) if it runs no target at all.
WorkerMachine this_machine();

nlohmann::json to_json(const WorkerMachine& machine);
WorkerMachine machine_from_json(const nlohmann::json& json);

nlohmann::json to_json(const Roof& roof);
Roof roof_from_json(const nlohmann::json& json);

}  // namespace gatefold
