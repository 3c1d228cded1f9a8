#include "tests/cli/gatefold_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "tests/formats/files.h"
#include "tests/support/paths.h"

namespace gatefold::test {
namespace {

[[noreturn]] void become_program(const std::vector<std::string>& arguments,
                                 const RunOptions& options, const std::string& out,
                                 const std::string& err) {
  dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
  dup2(open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
  dup2(open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
  for (const std::string& variable : options.environment) putenv(strdup(variable.c_str()));
  if (options.file_size_limit > 0) {
    const auto bytes = static_cast<rlim_t>(options.file_size_limit);
    const rlimit limit{bytes, bytes};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  const std::string program = binary_dir() + "/" + options.program;
  std::vector<char*> argv = {const_cast<char*>(program.c_str())};
  for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  execv(program.c_str(), argv.data());
  _exit(127);
}

}  // namespace

nlohmann::json Outcome::json() const {
  nlohmann::json parsed = nlohmann::json::parse(out, nullptr, false);
  EXPECT_TRUE(parsed.is_object()) << "stdout is not one JSON object: " << out
                                  << "\nstderr: " << err;
  return parsed.is_object() ? parsed : nlohmann::json::object();
}

Outcome gatefold(const std::vector<std::string>& arguments, const RunOptions& options) {
  const TempFolder folder;
  const std::string out =
      options.stdout_file.empty() ? (folder / "out").string() : options.stdout_file;
  const std::string err =
      options.stderr_file.empty() ? (folder / "err").string() : options.stderr_file;
  const pid_t child = fork();
  if (child == 0) become_program(arguments, options, out, err);
  int status = 0;
  bool ended = false;
  while (options.interrupt_when && !ended && !options.interrupt_when()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ended = waitpid(child, &status, WNOHANG) == child;
  }
  if (options.interrupt_when && !ended) kill(child, SIGINT);
  if (!ended) waitpid(child, &status, 0);
  Outcome outcome;
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (options.stdout_file.empty()) outcome.out = content(out);
  if (options.stderr_file.empty()) outcome.err = content(err);
  return outcome;
}

}  // namespace gatefold::test
