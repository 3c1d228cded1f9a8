#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <optional>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "gatefold/gatefold.h"
#include "spec/error.h"
#include "spec/names.h"

namespace gatefold::cli {
namespace {

constexpr int kExitUsage = static_cast<int>(ErrorKind::usage);

void print_error(const std::string& message) {
  // One line, whatever a library put into its text.
  std::string line = message;
  std::replace(line.begin(), line.end(), '\n', ' ');
  print_stderr("gatefold: error: " + line + "\n");
}

void add_commands(CLI::App& app, Action& action) {
  app.require_subcommand(1);
  app.set_version_flag("--version", gf_version());
  app.footer(
      "Exit codes: 0 done, 1 failed, 2 wrong use, 3 not available on this machine, 130 "
      "interrupted.\n"
      "Example:\n"
      "  gatefold generate --preset llama-2-7b --rows 1,4,16 -o lib\n"
      "  gatefold check --library lib/ffn_swiglu_f32_4096x11008.json");
  add_list_command(app, action);
  add_doctor_command(app, action);
  add_plan_command(app, action);
  add_generate_command(app, action);
  add_tune_command(app, action);
  add_sweep_command(app, action);
  add_report_command(app, action);
  add_run_command(app, action);
  add_check_command(app, action);
  add_bench_command(app, action);
}

/// CLI11 would only say that a subcommand is missing.
void check_command_name(const CLI::App& app, int argc, const char* const* argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == argv[1]) return;
    names.push_back(command->get_name());
  }
  fail_usage(unknown_name_message("command", argv[1], names));
}

/// What an option takes, from the name that CLI11 gives to its type.
std::string wanted_by(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (type.starts_with("FLOAT")) return "a number";
  if (type.starts_with("INT")) return "a whole number";
  if (type.starts_with("UINT")) return "a whole number, 0 or more";
  return "a value of type " + type;
}

/// CLI11 would say that a value could not be converted, not to what.
std::optional<std::string> conversion_message(CLI::App& app, const CLI::ParseError& error) {
  if (!dynamic_cast<const CLI::ConversionError*>(&error)) return std::nullopt;
  for (CLI::App* command : app.get_subcommands()) {
    for (const CLI::Option* option : command->get_options()) {
      const std::string value = CLI::detail::join(option->results());
      if (CLI::ConversionError(option->get_name(), option->results()).what() !=
          std::string(error.what())) {
        continue;
      }
      return fmt::format("{}: '{}', wanted {}", option->get_name(), value, wanted_by(*option));
    }
  }
  return std::nullopt;
}

/// The message of a parse error, with a near flag where one is unknown.
std::string parse_message(CLI::App& app, const CLI::ParseError& error) {
  for (CLI::App* command : app.get_subcommands()) {
    for (const std::string& word : command->remaining()) {
      std::vector<std::string> flags;
      for (const CLI::Option* option : command->get_options()) {
        for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
      }
      const std::string near = word.starts_with("-") ? nearest_name(flags, word) : "";
      return fmt::format("{}: unexpected '{}'{}", command->get_name(), word,
                         near.empty() ? "" : ", did you mean '" + near + "'?");
    }
  }
  std::string message = conversion_message(app, error).value_or(error.what());
  for (char& c : message) c = c == '\n' ? ' ' : c;
  return message;
}

/// The exit code if the command line ends the program already.
std::optional<int> parse(CLI::App& app, int argc, const char* const* argv) {
  try {
    check_command_name(app, argc, argv);
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    print_error(parse_message(app, error));
    return kExitUsage;
  }
}

/// A full disk behind stdout must not look like success.
int checked_stdout(int code) {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return code;
  print_error(fmt::format("standard output: {}", std::strerror(errno)));
  return code ? code : 1;
}

}  // namespace

int run_command_line(int argc, const char* const* argv) {
  set_up_signals();
  CLI::App app{"Generates, tunes, runs and compares fused transformer feed-forward blocks.",
               "gatefold"};
  Action action;
  try {
    add_commands(app, action);
    if (const auto code = parse(app, argc, argv)) return checked_stdout(*code);
    return checked_stdout(action());
  } catch (const Interrupted&) {
    print_error("interrupted");
    return kExitInterrupted;
  } catch (const Error& error) {
    print_error(error.what());
    // What fails because Ctrl-C also reached a child process is an interruption, not a failure.
    return interrupted() ? kExitInterrupted : error.exit_code();
  } catch (const std::bad_alloc&) {
    print_error("out of memory");
  } catch (const std::exception& error) {
    print_error(error.what());
  }
  return 1;
}

}  // namespace gatefold::cli
