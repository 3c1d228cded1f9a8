#include "tests/cuda_runtime/fake_state.h"

#include <algorithm>

namespace gatefold::test {

FakeState& FakeState::get() {
  static FakeState state;
  return state;
}

std::vector<Handle>& fake_context_stack() {
  static thread_local std::vector<Handle> stack;
  return stack;
}

void FakeState::reset() {
  const std::lock_guard lock(mutex_);
  settings_ = {};
  calls_.clear();
  complaints_.clear();
  kernels_.clear();
  fail_never();
}

std::vector<std::string> FakeState::calls() {
  const std::lock_guard lock(mutex_);
  return calls_;
}
void FakeState::clear_calls() {
  const std::lock_guard lock(mutex_);
  calls_.clear();
}
std::vector<std::string> FakeState::complaints() {
  const std::lock_guard lock(mutex_);
  return complaints_;
}
void FakeState::complain(const std::string& what) {
  const std::lock_guard lock(mutex_);
  complaints_.push_back(what);
}

std::vector<std::string> FakeState::held() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> all;
  for (const auto& [address, m] : memory)
    if (m.context) all.push_back(std::to_string(m.bytes.size()) + " bytes of memory");
  for (const auto& [handle, s] : streams)
    if (handle > 2 && !s.of_test) all.push_back("a stream");
  for (size_t i = 0; i < modules.size(); ++i) all.push_back("a module");
  for (size_t i = 0; i < events.size(); ++i) all.push_back("an event");
  for (int i = 0; i < retained; ++i) all.push_back("the primary context");
  return all;
}

void FakeState::forget_held() {
  const std::lock_guard lock(mutex_);
  std::erase_if(memory, [](const auto& entry) { return entry.second.context != 0; });
  std::erase_if(streams, [](const auto& entry) { return entry.first != 0; });
  modules.clear();
  functions.clear();
  events.clear();
  if (primary) contexts.erase(primary);
  primary = 0;
  retained = 0;
}

void FakeState::fail_after(int calls, int result, bool done) {
  const std::lock_guard lock(mutex_);
  fail_after_ = calls;
  fail_result_ = result;
  fail_done_ = done;
  failed_call_.clear();
}
void FakeState::fail_never() {
  const std::lock_guard lock(mutex_);
  fail_after_ = -1;
  failed_call_.clear();
}
std::string FakeState::failed_call() {
  const std::lock_guard lock(mutex_);
  return failed_call_;
}

std::vector<void*> FakeState::context_stack() {
  std::vector<void*> stack;
  for (const Handle context : fake_context_stack())
    stack.push_back(reinterpret_cast<void*>(context));
  return stack;
}
void FakeState::push_new_context() {
  const std::lock_guard lock(mutex_);
  const Handle context = new_handle();
  contexts.insert(context);
  fake_context_stack().push_back(context);
}
void FakeState::push_primary_context() {
  const std::lock_guard lock(mutex_);
  if (!primary) complain("push_primary_context: there is none");
  fake_context_stack().push_back(primary);
}
void FakeState::pop_context() {
  const std::lock_guard lock(mutex_);
  if (current() != primary) contexts.erase(current());
  fake_context_stack().pop_back();
}
Handle FakeState::current() const {
  const std::vector<Handle>& stack = fake_context_stack();
  return stack.empty() ? 0 : stack.back();
}

/// Fresh memory holds what nobody would take for a result; between pieces lies a gap.
uint64_t FakeState::allocate_in(Handle context, size_t bytes) {
  const std::lock_guard lock(mutex_);
  const uint64_t address = next_address_;
  next_address_ += (bytes + 8191) / 4096 * 4096;
  memory[address] = {context, std::vector<std::byte>(bytes, std::byte{0xa5})};
  return address;
}

void FakeState::free(uint64_t address) {
  const std::lock_guard lock(mutex_);
  memory.erase(address);
}

void* FakeState::at(uint64_t address, size_t bytes) {
  const std::lock_guard lock(mutex_);
  auto piece = memory.upper_bound(address);
  if (piece != memory.begin()) {
    --piece;
    const size_t offset = address - piece->first;
    if (offset <= piece->second.bytes.size() && bytes <= piece->second.bytes.size() - offset)
      return piece->second.bytes.data() + offset;
  }
  complain(std::to_string(bytes) + " bytes at " + std::to_string(address) +
           " are in no allocation");
  return nullptr;
}

std::vector<std::pair<uint64_t, size_t>> FakeState::allocations() {
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<uint64_t, size_t>> all;
  for (const auto& [address, piece] : memory) all.emplace_back(address, piece.bytes.size());
  return all;
}

void* FakeState::make_stream() {
  const std::lock_guard lock(mutex_);
  if (!primary) complain("make_stream: no primary context");
  const Handle stream = new_handle();
  streams[stream] = {primary, true, {}};
  return reinterpret_cast<void*>(stream);
}
void FakeState::destroy_stream(void* stream) {
  const std::lock_guard lock(mutex_);
  streams.erase(reinterpret_cast<Handle>(stream));
}
void FakeState::finish(void* stream, size_t most) {
  const std::lock_guard lock(mutex_);
  do_work(reinterpret_cast<Handle>(stream), most);
}
size_t FakeState::waiting(void* stream) {
  const std::lock_guard lock(mutex_);
  return streams[reinterpret_cast<Handle>(stream)].work.size();
}

void FakeState::set_kernel(const std::string& entry, Kernel kernel) {
  const std::lock_guard lock(mutex_);
  kernels_[entry] = std::move(kernel);
}

void FakeState::put_work(Handle stream, std::function<void()> work) {
  streams[stream].work.push_back(std::move(work));
}

bool FakeState::any_work() const {
  return std::any_of(streams.begin(), streams.end(),
                     [](const auto& entry) { return !entry.second.work.empty(); });
}

void FakeState::do_work(Handle stream, size_t most) {
  for (size_t i = 0; i < most && !streams[stream].work.empty(); ++i) {
    const std::function<void()> task = std::move(streams[stream].work.front());
    streams[stream].work.pop_front();
    task();
  }
}

void FakeState::run_kernel(const FakeLaunch& launch) {
  auto kernel = kernels_.find(launch.entry);
  if (kernel == kernels_.end()) kernel = kernels_.find("");
  if (kernel == kernels_.end()) {
    complain("nobody has said what entry '" + launch.entry + "' does");
    return;
  }
  kernel->second(launch);
}

/// A handle from outside, to be used with the current context.
bool FakeState::stream_ok(const char* name, Handle stream) {
  const Handle context = current();
  if (!context || contexts.count(context) == 0) {
    complain(std::string(name) + ": no current context");
    return false;
  }
  if (stream <= 2) return true;  // the default streams are of every context
  const auto found = streams.find(stream);
  if (found == streams.end()) complain(std::string(name) + ": unknown stream");
  if (found == streams.end()) return false;
  if (found->second.context != context)
    complain(std::string(name) + ": a stream of another context");
  return found->second.context == context;
}

}  // namespace gatefold::test
