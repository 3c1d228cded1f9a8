#include "tuning/worker_service.h"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <new>
#include <optional>

#include "gatefold/gatefold.h"
#include "spec/error.h"

namespace gatefold {
namespace {

constexpr size_t kMostLibraries = 100000;  // a session's, so that a mad tuner fills no disk

}  // namespace

WorkerService::WorkerService(Options options)
    : options_(std::move(options)), arena_(options_.events) {}

/// Beyond it allocations fail, here and in the candidates, before the machine swaps. It only grows:
/// what earlier requests packed stays.
void WorkerService::limit_memory(int64_t bytes) {
  if (bytes <= memory_bytes_) return;
  memory_bytes_ = bytes;
  rlimit limit = {};
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = std::min(limit.rlim_max, static_cast<rlim_t>(bytes));
  setrlimit(RLIMIT_AS, &limit);
}

LockOptions WorkerService::lock_options() const {
  LockOptions lock;
  lock.path = options_.lock;
  lock.waiting = [this](const std::string& message) { options_.say(waiting_line(message)); };
  return lock;
}

std::string WorkerService::answer(const HelloRequest&) {
  HelloReply reply;
  reply.version = gf_version();
  reply.machine = this_machine();
  return reply_line(reply);
}

std::string WorkerService::answer(const SentLibrary& library) {
  if (sent_.size() >= kMostLibraries) fail("worker: too many libraries in one session");
  const std::filesystem::path path = options_.folder / (library.name + ".so");
  std::ofstream file(path, std::ios::binary);
  file << library.bytes;
  file.close();
  if (!file) fail("worker: " + path.string() + ": " + std::strerror(errno));
  sent_.insert(library.name);
  return reply_line(SentLibrary{library.name, {}});
}

std::string WorkerService::answer(const RoofRequest& request) {
  std::optional<MeasureLock> lock;
  if (request.lock) lock.emplace(lock_options());
  return reply_line(measure_roof(request.target, request.threads));
}

std::string WorkerService::answer(MeasureRequest request) {
  if (request.sent) {
    for (std::string& name : request.libraries) {
      if (!sent_.count(name)) fail("worker request: library '" + name + "' was not sent");
      name = (options_.folder / (name + ".so")).string();
    }
  }
  limit_memory(request.memory_bytes);
  std::optional<MeasureLock> lock;
  if (request.lock) lock.emplace(lock_options());
  return reply_line(arena_.measure(request));
}

bool WorkerService::serve(const std::string& line) {
  try {
    const WorkerRequest request = parse_request_line(line);
    if (std::holds_alternative<std::monostate>(request)) return false;
    std::visit(
        [this](const auto& wanted) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(wanted)>, std::monostate>) {
            options_.say(answer(wanted));
          }
        },
        request);
  } catch (const std::bad_alloc&) {
    options_.say(error_line("out of memory"));
  } catch (const std::exception& e) {
    options_.say(error_line(e.what()));
  }
  return true;
}

}  // namespace gatefold
