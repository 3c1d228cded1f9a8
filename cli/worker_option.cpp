#include "cli/worker_option.h"

#include "cli/interrupt.h"
#include "spec/error.h"
#include "tuning/worker_client.h"

namespace gatefold::cli {
namespace {

/// `host` is the worker's machine too.
std::string with_its_host(const std::string& targets, const WorkerMachine& machine) {
  return targets == "host" ? info(machine.targets.back()).name : targets;
}

}  // namespace

void use_worker(const std::string& command, SpecOptions& spec, TuneRequest& request) {
  if (command.find_first_not_of(" \t\n") == std::string::npos) {
    fail_usage("--worker: '" + command + "', wanted a command such as 'ssh HOST gatefold-worker'");
  }
  // Through a shell, so that quotes mean what they mean on a command line.
  request.worker = {"/bin/sh", "-c", command};
  request.worker_shown = command;
  WorkerOptions options;
  options.command = request.worker;
  options.shown = command;
  options.stop = &interrupt_flag();
  WorkerClient client(std::move(options));
  const WorkerMachine machine = client.machine();
  throw_if_interrupted();
  spec.target = with_its_host(spec.target, machine);
  if (!spec.dtype) spec.dtype = info(machine.dtype).name;
  request.elsewhere = machine;
  // What is looked up in the database afterwards is the worker's too.
  request.cpu_name = machine.cpu;
  request.cpu = machine.profile;
}

}  // namespace gatefold::cli
