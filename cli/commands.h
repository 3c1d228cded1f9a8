#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace gatefold::cli {

/// What a parsed command line asks for; set by the command that was named. Throws gatefold::Error
/// or Interrupted; the value is the exit code.
using Action = std::function<int()>;

/// Each adds one subcommand with its flags. One file per command.
void add_list_command(CLI::App& app, Action& action);
void add_doctor_command(CLI::App& app, Action& action);
void add_plan_command(CLI::App& app, Action& action);
void add_generate_command(CLI::App& app, Action& action);
void add_tune_command(CLI::App& app, Action& action);
void add_sweep_command(CLI::App& app, Action& action);
void add_report_command(CLI::App& app, Action& action);
void add_run_command(CLI::App& app, Action& action);
void add_check_command(CLI::App& app, Action& action);
void add_bench_command(CLI::App& app, Action& action);

/// Parses and runs; prints errors as "gatefold: error: …". Returns the exit code.
int run_command_line(int argc, const char* const* argv);

}  // namespace gatefold::cli
