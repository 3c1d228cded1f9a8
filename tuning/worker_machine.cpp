#include "tuning/worker_machine.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gatefold/gatefold.h"
#include "spec/error.h"
#include "spec/micro_architecture.h"
#include "tuning/emulator.h"
#include "tuning/host.h"

namespace gatefold {
namespace {

using Json = nlohmann::json;

constexpr int64_t kLargestCache = int64_t{1} << 40;
constexpr int kMostThreads = 1 << 16;
constexpr size_t kLongestName = 300;

/// It comes from another machine, so it is looked at before it is worked with.
int64_t cache_size(const Json& json, const char* name) {
  const int64_t bytes = json.at(name).get<int64_t>();
  if (bytes < 1 || bytes > kLargestCache) {
    fail(std::string("worker: ") + name + ": " + std::to_string(bytes) + " bytes of cache");
  }
  return bytes;
}

double positive(const Json& json, const char* name) {
  const double value = json.at(name).get<double>();
  if (!(value > 0)) fail(std::string("worker: roof: ") + name + ": " + json.at(name).dump());
  return value;
}

}  // namespace

bool WorkerMachine::runs(Target target) const {
  return std::find(targets.begin(), targets.end(), target) != targets.end();
}

WorkerMachine this_machine() {
  WorkerMachine machine;
  machine.cpu = host_cpu_name();
  machine.profile = host_cpu_profile();
  for (const TargetInfo& target : cpu_targets()) {
    if (gf_isa_usable(target.name.c_str())) machine.targets.push_back(target.target);
  }
  if (machine.targets.empty()) host_target();  // says so
  machine.dtype = host_dtype();
  machine.threads = gf_default_threads();
  machine.emulator = this_emulator();
  return machine;
}

Json to_json(const WorkerMachine& m) {
  Json targets = Json::array();
  for (const Target target : m.targets) targets.push_back(info(target).name);
  return {{"cpu", m.cpu},         {"l1d", m.profile.l1d},     {"l2", m.profile.l2},
          {"l3", m.profile.l3},   {"targets", targets},       {"dtype", info(m.dtype).name},
          {"threads", m.threads}, {"emulated", m.emulated()}, {"emulator", m.emulator}};
}

WorkerMachine machine_from_json(const Json& j) {
  WorkerMachine m;
  m.cpu = j.at("cpu").get<std::string>();
  if (m.cpu.empty() || m.cpu.size() > kLongestName) fail("worker: cpu: no name, or far too long");
  m.profile.name = "host";
  m.profile.core = micro_architecture_of(m.cpu);
  m.profile.l1d = cache_size(j, "l1d");
  m.profile.l2 = cache_size(j, "l2");
  m.profile.l3 = cache_size(j, "l3");
  for (const Json& name : j.at("targets")) {
    m.targets.push_back(target_named(name.get<std::string>()).target);
  }
  if (m.targets.empty()) fail("worker: targets: empty, wanted what it runs");
  std::sort(m.targets.begin(), m.targets.end());
  m.dtype = dtype_named(j.at("dtype").get<std::string>());
  m.threads = j.at("threads").get<int>();
  if (m.threads < 1 || m.threads > kMostThreads) {
    fail("worker: threads: " + std::to_string(m.threads) + ", wanted 1 or more");
  }
  m.emulator = j.at("emulator").get<std::string>();
  if (m.emulator.size() > kLongestName) fail("worker: emulator: a name that is far too long");
  if (j.at("emulated").get<bool>() != m.emulated()) {
    fail("worker: emulated: " + j.at("emulated").dump() + " beside emulator '" + m.emulator + "'");
  }
  return m;
}

Json to_json(const Roof& r) {
  return {{"f32_gflops", r.f32_gflops},
          {"bf16_gflops", r.bf16_gflops},
          {"i8_gops", r.i8_gops},
          {"read_gbps", r.read_gbps},
          {"threads", r.threads},
          {"target", info(r.target).name},
          {"f32_instruction", r.f32_instruction},
          {"bf16_instruction", r.bf16_instruction},
          {"i8_instruction", r.i8_instruction},
          {"read_pattern", r.read_pattern}};
}

Roof roof_from_json(const Json& j) {
  Roof r;
  r.f32_gflops = positive(j, "f32_gflops");
  r.bf16_gflops = positive(j, "bf16_gflops");
  r.i8_gops = positive(j, "i8_gops");
  r.read_gbps = positive(j, "read_gbps");
  r.threads = j.at("threads").get<int>();
  r.target = target_named(j.at("target").get<std::string>()).target;
  r.f32_instruction = j.at("f32_instruction").get<std::string>();
  r.bf16_instruction = j.at("bf16_instruction").get<std::string>();
  r.i8_instruction = j.at("i8_instruction").get<std::string>();
  r.read_pattern = j.at("read_pattern").get<std::string>();
  return r;
}

}  // namespace gatefold
