#include "tests/tuning/fake_tuning.h"

#include <fstream>
#include <iterator>

#include "schedules/space.h"

namespace gatefold::test {

TuneRequest fake_tune_request(const ScratchFolder& folder, int trials, Behave behave) {
  TuneRequest r;
  r.ffn = fake_ffn();
  r.rows = {2};
  r.threads = 1;
  r.trials = trials;
  r.strategy = "random";
  r.seed = 11;
  r.database = folder / "t.db";
  r.cpu = cpu_profile_named("generic");
  r.cpu_name = "a CPU";
  r.worker = {worker_program()};
  r.lock.path = folder / "lock";
  Roof roof;
  roof.f32_gflops = 100;
  roof.read_gbps = 20;
  r.roof = roof;
  r.builder.emitter = "unused";
  r.builder.build = [behave](const LibraryPlan& plan, const LibraryOptions& options) {
    Fake wanted;
    wanted.kernel = plan.kernels.at(0).spec;
    behave(wanted);
    std::filesystem::create_directories(options.directory);
    return build_fake(wanted, options.directory / "libcandidate.so");
  };
  return r;
}

WorkloadKey fake_workload(const FfnSpec& ffn) {
  WorkloadKey key;
  key.cpu = "a CPU";
  key.ffn = ffn;
  return key;
}

bool is_default(const KernelSpec& kernel) {
  return kernel.point == default_point(kernel, cpu_profile_named("generic"));
}

bool full_variant() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string words((std::istreambuf_iterator<char>(file)), {});
  return words.find(std::string("\0--full", 7)) != std::string::npos;
}

}  // namespace gatefold::test
