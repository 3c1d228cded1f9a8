#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace gatefold::test {

/// A launch as a kernel sees it. Work waits in its stream until somebody synchronises, so that what
/// must outlive a call is missed if it doesn't.
struct FakeLaunch {
  std::string entry;
  const std::string* ptx;  ///< of its module
  std::array<uint32_t, 3> grid, block;
  uint32_t shared_bytes;
  std::vector<std::vector<std::byte>> params;  ///< copied at the launch
};

/// What the driver says of itself and of its devices.
struct FakeSettings {
  int driver_version = 12040;
  int init_result = 0;
  int devices = 1;
  int capability = 80;
};

/// The other side of the fake libcuda: what tests ask it and tell it. It keeps device memory in
/// host memory, at addresses of its own; contexts, modules, streams and events; and it notes every
/// use that a driver would not forgive.
class FakeCuda {
 public:
  virtual ~FakeCuda() = default;

  /// Forgets calls, complaints and kernels; the settings become the defaults.
  virtual void reset() = 0;
  virtual FakeSettings& settings() = 0;

  /// The driver's functions that were called since reset() or clear_calls().
  virtual std::vector<std::string> calls() = 0;
  virtual void clear_calls() = 0;
  /// What was done wrong.
  virtual std::vector<std::string> complaints() = 0;
  virtual void complain(const std::string& what) = 0;
  /// What the program still holds: memory, modules, streams, events, primary contexts.
  virtual std::vector<std::string> held() = 0;
  virtual void forget_held() = 0;

  /// The call that comes after `calls` others gives `result`, and has done nothing, except for what
  /// frees something. `done`: a push or pop of a context has been done too.
  virtual void fail_after(int calls, int result, bool done) = 0;
  virtual void fail_never() = 0;
  /// The function that gave it; "" if it has not come to that.
  virtual std::string failed_call() = 0;

  /// This thread's stack of contexts, the current one last; for the program to find as it was.
  virtual std::vector<void*> context_stack() = 0;
  virtual void push_new_context() = 0;
  virtual void push_primary_context() = 0;  ///< which must be retained
  virtual void pop_context() = 0;

  /// Device memory of the test's own, which every context may use.
  virtual uint64_t allocate(size_t bytes) = 0;
  virtual void free(uint64_t address) = 0;
  /// Where device memory lies; nullptr and a complaint if it is not all in one allocation.
  virtual void* at(uint64_t address, size_t bytes) = 0;

  /// All of it, as addresses and bytes.
  virtual std::vector<std::pair<uint64_t, size_t>> allocations() = 0;

  /// A stream of the test's own in the context of device 0, which must be retained.
  virtual void* make_stream() = 0;
  virtual void destroy_stream(void* stream) = 0;
  /// Does the work that waits in a stream, or the first `most` pieces of it.
  virtual void finish(void* stream, size_t most = SIZE_MAX) = 0;
  virtual size_t waiting(void* stream) = 0;

  /// What an entry of any module does; "" is for all that have no kernel of their own.
  using Kernel = std::function<void(const FakeLaunch&)>;
  virtual void set_kernel(const std::string& entry, Kernel kernel) = 0;
};

/// Exported by the fake beside the driver's functions.
inline constexpr const char* kFakeCudaSymbol = "gatefold_fake_cuda";
using FakeCudaFunction = FakeCuda* (*)();

}  // namespace gatefold::test
