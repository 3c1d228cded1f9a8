#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>

#include "bench/ladder/environment.h"
#include "bench/ladder/hand_schedules.h"
#include "generator/emit_command.h"
#include "schedules/ffn_stages.h"
#include "spec/error.h"

namespace gatefold {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  if (!value) fail(std::string(name) + ": not set; this program is started by gatefold-ladder");
  return value;
}

/// Halide prints loop nests to stderr only: for that long it is the file.
void write_loop_nest(FfnStages& stages, const std::string& path) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) fail(path + ": cannot be written: " + std::strerror(errno));
  std::cerr.flush();
  const int before = dup(STDERR_FILENO);
  dup2(file, STDERR_FILENO);
  stages.y.print_loop_nest();
  std::cerr.flush();
  dup2(before, STDERR_FILENO);
  close(before);
  close(file);
}

void emit_step(const KernelSpec& kernel, const std::string& symbol,
               const std::filesystem::path& object, const std::filesystem::path& assembly) {
  const int threads = std::atoi(variable(kThreadsVariable).c_str());
  const Scheduler scheduler = ladder_schedule(variable(kScheduleVariable), threads);
  const std::string nest = variable(kNestVariable);
  const auto schedule_and_show = [&](FfnStages& stages) {
    scheduler(stages);
    write_loop_nest(stages, nest);
  };
  emit_kernel(kernel, schedule_and_show, symbol, object, assembly);
}

}  // namespace
}  // namespace gatefold

/// The emitter of the ladder: gatefold-emit with a choice of schedules, which also writes the loop
/// nest.
int main(int argc, char** argv) { return gatefold::emit_command(argc, argv, gatefold::emit_step); }
