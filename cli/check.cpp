#include <memory>
#include <string>

#include "accuracy/accuracy.h"
#include "accuracy/isa_environment.h"
#include "cli/accuracy_flags.h"
#include "cli/accuracy_output.h"
#include "cli/commands.h"
#include "cli/emulated.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "spec/error.h"

namespace gatefold::cli {
namespace {

struct Options {
  std::string library;
  AccuracyFlags accuracy;
  bool emulated = false;
};

AccuracyOptions options_of(const Options& o, Progress& progress) {
  AccuracyOptions options = accuracy_options(o.accuracy);
  options.progress = [&progress](const std::string& what) {
    throw_if_interrupted();
    progress.show("checking " + what);
  };
  return options;
}

void check_shapes_are_open(const AccuracyFlags& flags, const LoadedLibrary& library) {
  if (flags.shapes.empty() || !library.ffn().shape.fixed()) return;
  fail_usage("--shapes: '" + flags.shapes + "', but the library is for " +
             library.ffn().shape.text() + " only");
}

int run(const Options& options) {
  if (options.emulated) accept_emulated_targets();
  check_isa_in_environment();
  Progress progress;
  const AccuracyOptions wanted = options_of(options, progress);
  const LoadedLibrary library(options.library);
  check_shapes_are_open(options.accuracy, library);
  const AccuracyResult result = check_accuracy(library, wanted);
  progress.clear();
  throw_if_interrupted();
  if (options.accuracy.json) {
    print_json(accuracy_json(result, library.ffn()));
  } else {
    print_accuracy(result);
  }
  for (const std::string& note : result.notes) print_note(note);
  return result.ok ? 0 : static_cast<int>(ErrorKind::failed);
}

}  // namespace

void add_check_command(CLI::App& app, Action& action) {
  auto o = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("check", "Accuracy of a library against the f64 reference");
  command->add_option("--library", o->library, "manifest NAME.json")->required();
  add_accuracy_flags(*command, o->accuracy);
  command->add_flag("--emulated", o->emulated, kEmulatedHelp);
  command->footer("Example:\n  gatefold check --library lib/k.json");
  command->callback([o, &action] { action = [o] { return run(*o); }; });
}

}  // namespace gatefold::cli
