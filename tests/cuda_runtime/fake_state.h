#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <set>

#include "tests/cuda_runtime/fake_cuda.h"
#include "tests/cuda_runtime/fake_ptx.h"

namespace gatefold::test {

// Results of the driver that the fake gives.
enum FakeResult {
  kOk = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kInvalidDevice = 101,
  kInvalidContext = 201,
  kInvalidPtx = 218,
  kUnsupportedPtx = 222,
  kInvalidHandle = 400,
  kNotFound = 500,
};

/// Handles are numbers that are never given twice, so that old ones are known as such.
using Handle = uintptr_t;

struct FakeMemory {
  Handle context;  ///< 0: the test's own
  std::vector<std::byte> bytes;
};

struct FakeModule {
  Handle context;
  std::string text;
  std::vector<PtxEntry> entries;
};

struct FakeFunction {
  Handle module;
  PtxEntry entry;
  int dynamic_shared;  ///< allowed
};

struct FakeStream {
  Handle context;
  bool of_test;
  std::deque<std::function<void()>> work;
};

/// What a function has done when it gives an error. Those that free something give errors of
/// earlier work too, and so do those that push and pop contexts.
enum class OnFailure { does_nothing, as_told, is_done };

class FakeState : public FakeCuda {
 public:
  static FakeState& get();

  void reset() override;
  FakeSettings& settings() override { return settings_; }
  std::vector<std::string> calls() override;
  void clear_calls() override;
  std::vector<std::string> complaints() override;
  void complain(const std::string& what) override;
  std::vector<std::string> held() override;
  void forget_held() override;
  void fail_after(int calls, int result, bool done) override;
  void fail_never() override;
  std::string failed_call() override;
  std::vector<void*> context_stack() override;
  void push_new_context() override;
  void push_primary_context() override;
  void pop_context() override;
  uint64_t allocate(size_t bytes) override { return allocate_in(0, bytes); }
  void free(uint64_t address) override;
  void* at(uint64_t address, size_t bytes) override;
  std::vector<std::pair<uint64_t, size_t>> allocations() override;
  void* make_stream() override;
  void destroy_stream(void* stream) override;
  void finish(void* stream, size_t most) override;
  size_t waiting(void* stream) override;
  void set_kernel(const std::string& entry, Kernel kernel) override;

  /// One call of the driver: noted, and failed if its turn has come.
  template <typename Body>
  int call(const char* name, Body&& body, OnFailure on_failure = OnFailure::does_nothing) {
    const std::lock_guard lock(mutex_);
    calls_.push_back(name);
    const bool fails = fail_after_ == 0;
    if (fail_after_ >= 0) --fail_after_;
    if (!fails) return body();
    failed_call_ = name;
    if (on_failure == OnFailure::is_done || (on_failure == OnFailure::as_told && fail_done_))
      body();
    return fail_result_;
  }

  /// The complaint, and the result that goes with it.
  int wrong(int result, const std::string& what) {
    complain(what);
    return result;
  }

  uint64_t allocate_in(Handle context, size_t bytes);
  Handle current() const;  ///< 0: none
  Handle new_handle() { return ++handles_ * 16; }
  void put_work(Handle stream, std::function<void()> work);
  bool any_work() const;
  void run_kernel(const FakeLaunch& launch);
  bool stream_ok(const char* name, Handle stream);
  void do_work(Handle stream, size_t most = SIZE_MAX);

  std::recursive_mutex mutex_;
  FakeSettings settings_;
  bool initialised = false;
  Handle primary = 0;  ///< context of device 0
  int retained = 0;
  std::set<Handle> contexts;
  std::map<uint64_t, FakeMemory> memory;
  std::map<Handle, FakeModule> modules;
  std::map<Handle, FakeFunction> functions;
  std::map<Handle, FakeStream> streams;  ///< 0: the default one
  std::map<Handle, Handle> events;       ///< and their contexts

 private:
  FakeState() { streams[0] = {}; }

  std::vector<std::string> calls_, complaints_;
  std::map<std::string, Kernel> kernels_;
  int fail_after_ = -1;
  int fail_result_ = 0;
  bool fail_done_ = false;
  std::string failed_call_;
  Handle handles_ = 0x1000;
  uint64_t next_address_ = uint64_t{0x70} << 40;
};

/// The calling thread's stack of contexts.
std::vector<Handle>& fake_context_stack();

}  // namespace gatefold::test
