#include "tuning/ptxas.h"

#include <cstdlib>
#include <memory>

#include "generator/emitter_arguments.h"
#include "generator/process.h"
#include "tuning/run_folder.h"

namespace gatefold {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// A usage error if it is not there: what was asked for by name is not passed over.
std::string named_program(const std::string& name, const char* who) {
  const std::string found = find_program(name);
  if (found.empty()) fail_usage(std::string(who) + ": '" + name + "', wanted a program to run");
  return found;
}

std::string ending(const ProcessResult& r, double timeout_s) {
  if (r.timed_out) return "took longer than " + std::to_string(int(timeout_s)) + " s";
  const std::string how = r.signal ? "was killed by signal " + std::to_string(r.signal)
                                   : "exited with " + std::to_string(r.exit_code);
  const size_t end = r.errors.find_last_not_of('\n');
  if (end == std::string::npos) return how;
  const std::string text = r.errors.substr(0, end + 1);
  return how + ": " + text.substr(text.rfind('\n') + 1);
}

/// One batch of points on its way through the two programs.
class Batch {
 public:
  Batch(const AssemblingOptions& options, const fs::path& folder,
        const std::vector<DevicePoint>& points)
      : o_(options), folder_(folder), points_(points), read_(points.size()) {}

  std::vector<PointResources> read();

 private:
  bool can_emit(const DevicePoint& point) const {
    return !point.tensor_core || !find_program(tensor_core_emitter()).empty();
  }
  std::string tensor_core_emitter() const {
    return (o_.emitter.parent_path() / "gatefold-emit-mlir").string();
  }
  std::string file(size_t i, const char* ending) const {
    return (folder_ / (std::to_string(i) + ending)).string();
  }
  std::vector<std::string> emit_command(size_t i) const;
  std::vector<std::string> assemble_command(size_t i) const;
  template <typename Command, typename Take>
  void run(const char* what, Command command, Take take);

  const AssemblingOptions& o_;
  const fs::path& folder_;
  const std::vector<DevicePoint>& points_;
  std::vector<PointResources> read_;
};

std::vector<std::string> Batch::emit_command(size_t i) const {
  const DevicePoint& point = points_[i];
  std::vector<std::string> argv = {point.tensor_core ? tensor_core_emitter() : o_.emitter.string()};
  for (std::string& word : emitter_arguments(point.kernel, "block"))
    argv.push_back(std::move(word));
  if (point.tensor_core) {
    argv.insert(argv.end(), {"--tensor-core", point.tensor_core->text(), "-o", file(i, ".ptx")});
  } else {
    argv.insert(argv.end(), {"-o", file(i, ".o"), "--assembly", file(i, ".ptx")});
  }
  return argv;
}

std::vector<std::string> Batch::assemble_command(size_t i) const {
  return {o_.ptxas,          "-v",           "-arch=sm_" + std::to_string(o_.capability), "-o",
          file(i, ".cubin"), file(i, ".ptx")};
}

/// One program for each point that nothing is wrong with so far.
template <typename Command, typename Take>
void Batch::run(const char* what, Command command, Take take) {
  std::vector<size_t> numbers;
  std::vector<std::vector<std::string>> commands;
  for (size_t i = 0; i < points_.size(); ++i) {
    if (!can_emit(points_[i]) || !read_[i].failure.empty()) continue;
    numbers.push_back(i);
    commands.push_back(command(i));
  }
  run_processes(commands, o_.jobs, {.timeout_s = o_.timeout_s, .stop = o_.stop},
                [&](size_t n, const ProcessResult& r) {
                  const size_t i = numbers[n];
                  if (r.ok()) {
                    take(i, r.errors);
                  } else {
                    read_[i].failure = std::string(what) + " " + ending(r, o_.timeout_s);
                  }
                  return true;
                });
}

std::vector<PointResources> Batch::read() {
  run(
      "generating it", [&](size_t i) { return emit_command(i); }, [](size_t, const auto&) {});
  run(
      "ptxas", [&](size_t i) { return assemble_command(i); },
      [&](size_t i, const std::string& text) { read_[i].entries = parse_ptxas(text); });
  return std::move(read_);
}

}  // namespace

std::string find_ptxas(const std::string& wanted) {
  if (wanted == "none") return "";
  if (!wanted.empty()) return named_program(wanted, "--ptxas");
  const std::string given = variable("GATEFOLD_PTXAS");
  if (given == "none") return "";
  if (!given.empty()) return named_program(given, "GATEFOLD_PTXAS");
  std::vector<std::string> places = {"ptxas"};
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const std::string home = variable(name); !home.empty())
      places.push_back(home + "/bin/ptxas");
  }
  places.emplace_back("/usr/local/cuda/bin/ptxas");
  for (const std::string& place : places) {
    if (std::string found = find_program(place); !found.empty()) return found;
  }
  return "";
}

ResourceReader read_by_assembling(const AssemblingOptions& options) {
  const auto folder = std::make_shared<RunFolder>();
  return [options, folder](const std::vector<DevicePoint>& points) {
    return Batch(options, folder->path(), points).read();
  };
}

}  // namespace gatefold
