#include "cli/worker_option.h"

#include <memory>

#include "cli/interrupt.h"
#include "formats/mapped_file.h"
#include "gatefold/gatefold.h"
#include "runtime/elf_file.h"
#include "spec/error.h"
#include "spec/names.h"
#include "tuning/worker_client.h"
#include "tuning/worker_shipping.h"

namespace gatefold::cli {
namespace {

/// `host` is the worker's machine too.
std::string with_its_host(const std::string& targets, const WorkerMachine& machine) {
  return targets == "host" ? info(machine.targets.back()).name : targets;
}

/// What the machine over there must be; nullptr where it says so itself. Several targets are
/// refused later.
const char* architecture_of(const std::string& targets) {
  return targets == "host" ? nullptr : info(target_named(split_list(targets).front()).arch).name;
}

/// What is no program there would be a broken connection.
void check_program(const std::string& program, const std::string& targets) {
  if (check_elf_program(program.c_str(), architecture_of(targets)) != GF_OK) {
    fail(std::string("--worker-program: ") + gf_last_error());
  }
}

std::shared_ptr<const std::string> content_of(const std::string& program) {
  const MappedFile file = MappedFile::open(program);
  const auto* const begin = reinterpret_cast<const char*>(file.bytes().data());
  return std::make_shared<const std::string>(begin, file.bytes().size());
}

}  // namespace

void use_worker(const std::string& command, const std::string& program, SpecOptions& spec,
                TuneRequest& request) {
  if (command.find_first_not_of(" \t\n") == std::string::npos) {
    fail_usage("--worker: '" + command + "', wanted a command such as 'ssh HOST gatefold-worker'");
  }
  // Through a shell, so that quotes mean what they mean on a command line.
  request.worker = {"/bin/sh", "-c", command};
  if (!program.empty()) {
    check_program(program, spec.target);
    request.worker_program = content_of(program);
    request.worker.back() = shipping_command(command, request.worker_program->size());
  }
  request.worker_shown = command;
  WorkerOptions options;
  options.command = request.worker;
  options.shown = command;
  options.program = request.worker_program;
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
  request.emulator = machine.emulator;
}

}  // namespace gatefold::cli
