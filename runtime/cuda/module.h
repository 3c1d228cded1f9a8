#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "runtime/cuda/device.h"

namespace gatefold::cuda {

/// One gf_module, compiled and loaded into one context. All blocks of a context share it; it is
/// unloaded with the last that uses it.
class Module {
 public:
  /// The module, loaded if it isn't yet. The context must be current here and below.
  static gf_status acquire(const Driver& driver, const DeviceInfo& device, Context context,
                           const gf_module& source, Module** out);
  static void release(Module* module);

  /// An entry that may be launched with so much dynamic shared memory.
  gf_status function(const char* entry, uint32_t shared_bytes, Function* out);

  const gf_module& source() const { return source_; }

 private:
  struct Entry {
    std::string name;
    Function handle = nullptr;
    int static_shared = 0;
    int64_t dynamic_shared = 0;  ///< that it may be launched with
  };

  Module(const Driver& driver, const DeviceInfo& device, Context context, const gf_module& source)
      : driver_(driver), device_(device), context_(context), source_(source) {}

  gf_status load();
  gf_status load_failed(Result result, const char* log) const;
  gf_status find_entry(const char* name, Entry** out);
  gf_status allow_shared(Entry& entry, uint32_t bytes);

  const Driver& driver_;
  const DeviceInfo device_;
  const Context context_;
  const gf_module& source_;
  ModuleHandle handle_ = nullptr;
  int users_ = 0;           ///< guarded by the list's mutex
  Module* next_ = nullptr;  ///< likewise

  std::mutex mutex_;
  std::vector<Entry> entries_;
};

}  // namespace gatefold::cuda
