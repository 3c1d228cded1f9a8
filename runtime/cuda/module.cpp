#include "runtime/cuda/module.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <memory>

#include "runtime/cuda/ptx_header.h"
#include "runtime/status.h"

namespace gatefold::cuda {
namespace {

/// All loaded modules of the process: a few, and looked for once per block and module. Without a
/// destructor, since blocks may be destroyed while the process ends.
constinit std::mutex g_mutex;
constinit Module* g_first = nullptr;

/// A compiler's log in one line.
void put_in_line(char* log) {
  for (char* c = log; *c; ++c) {
    if (*c < ' ' || *c > '~') *c = ' ';
  }
}

/// Whether it says that this driver, on this device, cannot run the module, whatever is tried.
/// Images that are not valid, no binary for the GPU, invalid PTX, no compiler in the driver, PTX of
/// a newer version, compilation switched off.
bool is_unfit(Result result) {
  constexpr Result kUnfit[] = {kSuccess, 200, 209, 218, 221, 222, 223};
  return std::find(std::begin(kUnfit), std::end(kUnfit), result) != std::end(kUnfit);
}

gf_status check_text(const gf_module& source) {
  if (source.ptx && source.bytes > 0 && std::memchr(source.ptx, 0, source.bytes) == nullptr &&
      source.ptx[source.bytes] == '\0')
    return GF_OK;
  return failed(GF_BAD_LIBRARY, "a module of %zu bytes: wanted text that ends with NUL",
                source.bytes);
}

}  // namespace

gf_status Module::acquire(const Driver& driver, const DeviceInfo& device, Context context,
                          const gf_module& source, Module** out) {
  const std::lock_guard lock(g_mutex);
  for (Module* m = g_first; m; m = m->next_) {
    if (m->context_ != context || &m->source_ != &source) continue;
    ++m->users_;
    *out = m;
    return GF_OK;
  }
  std::unique_ptr<Module> made(new Module(driver, device, context, source));
  if (const gf_status status = made->load(); status != GF_OK) return status;
  made->users_ = 1;
  made->next_ = g_first;
  *out = g_first = made.release();
  return GF_OK;
}

void Module::release(Module* module) {
  const std::lock_guard lock(g_mutex);
  if (--module->users_ > 0) return;
  Module** link = &g_first;
  while (*link != module) link = &(*link)->next_;
  *link = module->next_;
  module->driver_.module_unload(module->handle_);
  delete module;
}

/// No register limit is given: the kernel's own .maxntid says how many registers it can have.
gf_status Module::load() {
  if (const gf_status status = check_text(source_); status != GF_OK) return status;
  if (device_.capability < source_.capability) return load_failed(kSuccess, "");
  char log[2048] = "";
  int options[] = {kErrorLog, kErrorLogBytes};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log - 1)};
  const Result result = driver_.module_load(&handle_, source_.ptx, 2u, options, values);
  if (result == kSuccess) return GF_OK;
  put_in_line(log);
  return load_failed(result, log);
}

/// All that decides whether a driver can load it, whatever it was: its error codes are vague.
/// kSuccess: it was not even asked.
gf_status Module::load_failed(Result result, const char* log) const {
  const PtxHeader ptx = ptx_header(source_);
  const auto width = [](std::string_view text) { return static_cast<int>(text.size()); };
  char wants[48] = "";
  if (const int version = cuda_version_for(ptx.version); version > 0) {
    std::snprintf(wants, sizeof wants, ", for drivers of CUDA %d.%d or newer", version / 1000,
                  version % 1000 / 10);
  }
  if (result == kErrorOutOfMemory) return call_failed(driver_.module_load.name, result);
  return failed(
      is_unfit(result) ? GF_UNAVAILABLE : GF_DEVICE_FAILED,
      "%s: %s: the module is PTX %.*s for %.*s%s; the driver is of CUDA %d.%d, device %d (%s) has "
      "compute capability %d.%d, wanted at least %d.%d%s%.600s",
      driver_.module_load.name, result == kSuccess ? "not called" : ErrorText(driver_, result).text,
      width(ptx.version), ptx.version.data(), width(ptx.target), ptx.target.data(), wants,
      driver_.version / 1000, driver_.version % 1000 / 10, device_.ordinal, device_.name,
      device_.capability / 10, device_.capability % 10, source_.capability / 10,
      source_.capability % 10, *log ? ": " : "", log);
}

gf_status Module::function(const char* entry, uint32_t shared_bytes, Function* out) {
  const std::lock_guard lock(mutex_);
  Entry* found = nullptr;
  gf_status status = find_entry(entry, &found);
  if (status == GF_OK) status = allow_shared(*found, shared_bytes);
  if (status == GF_OK) *out = found->handle;
  return status;
}

gf_status Module::find_entry(const char* name, Entry** out) {
  for (Entry& entry : entries_) {
    if (entry.name != name) continue;
    *out = &entry;
    return GF_OK;
  }
  Entry entry;
  entry.name = name;
  const Result result = driver_.module_get_function(&entry.handle, handle_, name);
  if (result != kSuccess) {
    return failed(GF_DEVICE_FAILED, "%s: entry '%s': %s", driver_.module_get_function.name, name,
                  ErrorText(driver_, result).text);
  }
  const gf_status status = checked(driver_.function_get_attribute, &entry.static_shared,
                                   static_cast<int>(kStaticShared), entry.handle);
  if (status != GF_OK) return status;
  entry.dynamic_shared = std::max(0, device_.max_shared - entry.static_shared);
  entries_.push_back(std::move(entry));
  *out = &entries_.back();
  return GF_OK;
}

/// Above what every block gets (48 KiB) a kernel must ask. It only ever asks for more: other blocks
/// launch the same function.
gf_status Module::allow_shared(Entry& entry, uint32_t bytes) {
  if (bytes <= entry.dynamic_shared) return GF_OK;
  const int64_t most = int64_t{device_.max_shared_opt_in} - entry.static_shared;
  if (bytes > most) {
    return failed(GF_KERNEL_FAILED,
                  "entry '%s': %u bytes of shared memory beside %d of its own, device %d (%s) has "
                  "%d for a block",
                  entry.name.c_str(), bytes, entry.static_shared, device_.ordinal, device_.name,
                  device_.max_shared_opt_in);
  }
  const gf_status status = checked(driver_.function_set_attribute, entry.handle,
                                   static_cast<int>(kMaxDynamicShared), static_cast<int>(bytes));
  if (status == GF_OK) entry.dynamic_shared = bytes;
  return status;
}

}  // namespace gatefold::cuda
