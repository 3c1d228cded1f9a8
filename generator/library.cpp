#include "generator/library.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>

#include "generator/emit_kernels.h"
#include "generator/kernel_table_text.h"
#include "generator/link_tools.h"
#include "generator/process.h"
#include "generator/table_source.h"
#include "generator/text_file.h"
#include "spec/names.h"

namespace gatefold {
namespace {

namespace fs = std::filesystem;

/// A folder beside the final files, so that they can be renamed; removed on every way out.
class StagingFolder {
 public:
  explicit StagingFolder(const fs::path& parent, const std::string& name) {
    std::error_code error;
    fs::create_directories(parent, error);
    if (error || !fs::is_directory(parent)) {
      fail(parent.string() +
           ": cannot be the output folder: " + (error ? error.message() : "it is not a folder"));
    }
    std::string pattern = (parent / ("." + name + ".XXXXXX")).string();
    if (!mkdtemp(pattern.data())) {
      fail(parent.string() + ": cannot create a folder in it: " + strerror(errno));
    }
    path_ = pattern;
  }
  ~StagingFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  StagingFolder(const StagingFolder&) = delete;
  StagingFolder& operator=(const StagingFolder&) = delete;
  fs::path operator/(const std::string& name) const { return path_ / name; }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string read_bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  if (!file || bytes.empty()) fail(path.string() + ": cannot be read");
  return bytes;
}

void run_tool(const std::vector<std::string>& argv) {
  constexpr double kTimeout = 120;
  run_processes({argv}, 1, {.timeout_s = kTimeout}, [&](size_t, const ProcessResult& r) {
    if (!r.ok()) fail(fs::path(argv[0]).filename().string() + " " + how_it_ended(r, kTimeout));
    return true;
  });
}

/// All objects as one, whose only global symbols are the table's functions.
fs::path combine(const LibraryPlan& plan, const LinkTools& tools, EmittedKernels kernels,
                 const StagingFolder& staging) {
  const fs::path table = staging / "table.c", include = staging / "gatefold";
  fs::create_directories(include);
  write_text(include / "kernel_table.h", kKernelTableText);
  write_text(table, table_source(plan));
  kernels.sources.push_back(table.string());
  std::vector<std::string>& objects = kernels.objects;
  for (const std::string& source : kernels.sources) {
    objects.push_back(source + ".o");
    run_tool({tools.compiler, "-std=c11", "-O2", "-fPIC", "-fvisibility=hidden",
              "-I" + staging.path().string(), "-c", source, "-o", objects.back()});
  }
  const std::string all = (staging / "all.o").string();
  std::vector<std::string> link = {tools.ld, "-r", "-o", all};
  link.insert(link.end(), objects.begin(), objects.end());
  run_tool(link);
  run_tool({tools.objcopy, "--keep-global-symbol=" + plan.name + "_kernels",
            "--keep-global-symbol=gatefold_kernels", all});
  return all;
}

void link_shared(const LinkTools& tools, const fs::path& all, const fs::path& out,
                 const std::string& soname) {
  run_tool({tools.compiler, "-shared", "-o", out.string(), all.string(), "-Wl,--build-id=none",
            "-Wl,-z,defs", "-Wl,-z,text", "-Wl,-z,noexecstack", "-Wl,-soname," + soname});
}

void link_static(const LibraryPlan& plan, const LinkTools& tools, const fs::path& all,
                 const fs::path& out, const StagingFolder& staging) {
  const std::string object = (staging / (plan.name + ".o")).string();
  run_tool({tools.objcopy, "--keep-global-symbol=" + plan.name + "_kernels", all.string(), object});
  run_tool({tools.ar, "rcsD", out.string(), object});
}

void check_plan(const LibraryPlan& plan) {
  const auto letter = [](char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  const auto legal = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
  if (plan.name.empty() || plan.name.size() > 64 || !letter(plan.name[0]) ||
      !std::all_of(plan.name.begin(), plan.name.end(), legal)) {
    fail_usage("--name: '" + plan.name + "', wanted a C identifier of at most 64 characters");
  }
  if (plan.kernels.empty()) fail_usage("library " + plan.name + ": no kernels to generate");
}

/// What would refuse the rename, looked for before the first file is replaced: an old manifest must
/// not stand beside new kernels.
void check_replaceable(const fs::path& to) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(to, error);
  if (fs::is_directory(status)) fail(to.string() + ": is a folder, wanted a file or nothing there");
}

void install(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) fail(to.string() + ": cannot be replaced: " + error.message());
}

/// Empty if there is none.
fs::path beside_this_program(const std::string& name) {
  const fs::path self = fs::read_symlink("/proc/self/exe").parent_path();
  for (const fs::path& folder : {self, self.parent_path(), self.parent_path() / "bin"}) {
    if (access((folder / name).c_str(), X_OK) == 0) return folder / name;
  }
  return {};
}

}  // namespace

std::string LibraryKernel::point() const {
  return tensor_cores ? tensor_cores->text() : spec.point.text();
}

Arch arch_of(const LibraryPlan& plan) {
  std::vector<Target> targets;
  for (const LibraryKernel& kernel : plan.kernels) targets.push_back(kernel.spec.target);
  return arch_of(targets);
}

fs::path default_emitter() {
  const fs::path found = beside_this_program("gatefold-emit");
  if (found.empty())
    fail("gatefold-emit: not found beside this program; build it with 'make build'");
  return found;
}

fs::path default_tensor_core_emitter() { return beside_this_program("gatefold-emit-mlir"); }

fs::path build_library(const LibraryPlan& plan, const LibraryOptions& options) {
  check_plan(plan);
  // Looked for before the compilers' work, which is lost without them.
  const LinkTools tools = find_link_tools(arch_of(plan));
  const StagingFolder staging(options.directory, plan.name);
  const std::string base = "lib" + plan.name;
  const std::vector<std::string> files =
      options.shared_only ? std::vector{base + ".so"}
                          : std::vector{base + ".a", base + ".so", plan.name + ".h",
                                        plan.name + "Config.cmake", plan.name + ".json"};
  for (const std::string& file : files) check_replaceable(options.directory / file);
  const fs::path all = combine(plan, tools, emit_kernels(plan, options, staging.path()), staging);
  link_shared(tools, all, staging / (base + ".so"), base + ".so");
  if (!options.shared_only) {
    link_static(plan, tools, all, staging / (base + ".a"), staging);
    write_text(staging / (plan.name + ".h"), library_header(plan));
    write_text(staging / (plan.name + "Config.cmake"), library_cmake_config(plan));
    write_text(staging / (plan.name + ".json"),
               library_manifest(plan, read_bytes(staging / (base + ".so"))));
  }
  for (const std::string& file : files) install(staging / file, options.directory / file);
  return options.directory / files.back();
}

}  // namespace gatefold
