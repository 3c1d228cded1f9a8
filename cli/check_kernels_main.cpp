// gatefold-check-kernels: what `gatefold check` does, and more, for many libraries in one process,
// since an emulator takes long to start.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <new>
#include <set>
#include <string>
#include <vector>

#include "accuracy/isa_environment.h"
#include "cli/accuracy_flags.h"
#include "cli/accuracy_output.h"
#include "spec/error.h"

namespace gatefold::cli {
namespace {

constexpr int kFailed = static_cast<int>(ErrorKind::failed);
constexpr int kUsage = static_cast<int>(ErrorKind::usage);

struct Options {
  std::vector<std::string> manifests;
  AccuracyFlags accuracy;
};

/// One line, whatever a library put into its text.
void say(const char* kind, std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  print_stderr(std::string("gatefold-check-kernels: ") + kind + ": " + text + "\n");
}

int failed(const std::string& what, int code = kFailed) {
  say("error", what);
  return code;
}

int check(const LoadedLibrary& library, const AccuracyOptions& wanted, bool json, Json& out) {
  const AccuracyResult result = check_accuracy(library, wanted);
  out.update(accuracy_json(result, library.ffn()));
  if (!json) print_accuracy(result);
  for (const std::string& note : result.notes) say("note", note);
  return result.ok ? 0 : kFailed;
}

/// Adds one library's cells, or why there are none; an exit code. A crash is the last of the lines
/// on stderr.
int check(const std::string& manifest, const Options& options, Json& libraries) {
  Json& out = libraries.emplace_back(Json{{"library", manifest}, {"ok", false}});
  AccuracyOptions wanted = accuracy_options(options.accuracy);
  wanted.thorough = true;
  wanted.progress = [&](const std::string& what) {
    print_stderr("checking " + manifest + ": " + what + "\n");
  };
  const auto refused = [&](const std::string& why, int code) {
    out["error"] = why;
    return failed(why, code);
  };
  try {
    return check(LoadedLibrary(manifest), wanted, options.accuracy.json, out);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::usage) throw;
    return refused(error.what(), error.exit_code());
  } catch (const std::bad_alloc&) {
    return refused(manifest + ": out of memory", kFailed);
  }
}

/// Kernels that are wrong weigh more than those that this machine does not run.
int run(const Options& options) {
  check_isa_in_environment();
  Json libraries = Json::array();
  std::set<int> codes = {0};
  for (const std::string& manifest : options.manifests) {
    codes.insert(check(manifest, options, libraries));
  }
  if (options.accuracy.json) {
    print_json({{"ok", codes.size() == 1}, {"libraries", libraries}});
  }
  return codes.contains(kFailed) ? kFailed : *codes.rbegin();
}

int checked_run(const Options& options) {
  try {
    return run(options);
  } catch (const Error& error) {
    return failed(error.what(), error.exit_code());
  } catch (const std::exception& error) {
    return failed(error.what());
  }
}

}  // namespace
}  // namespace gatefold::cli

int main(int argc, char** argv) {
  CLI::App app{
      "Checks the kernels of generated libraries against the f64 reference, also where every "
      "tensor lies at the edge of memory that nothing may touch: a kernel that reaches past one "
      "ends the program.",
      "gatefold-check-kernels"};
  gatefold::cli::Options options;
  app.add_option("MANIFEST", options.manifests, "NAME.json of a library")->required();
  add_accuracy_flags(app, options.accuracy);
  app.footer(
      "Exit codes: 0 all are right, 1 not, 2 wrong use, 3 kernels that this machine does not run.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help
    return gatefold::cli::failed(error.what(), gatefold::cli::kUsage);
  }
  return gatefold::cli::checked_run(options);
}
