#include "runtime/cuda/current_context.h"

namespace gatefold::cuda {

// Functions of the driver may also give errors of earlier work, having done what they were asked:
// after an error only the current context tells whether the stack has changed. It does, since a
// context is never pushed onto itself here.

CurrentContext::CurrentContext(const Driver& driver, Context context)
    : driver_(driver), context_(context) {
  Context current = nullptr;
  status_ = checked(driver_.context_get_current, &current);
  if (status_ != GF_OK || current == context_) return;
  const Result result = driver_.context_push(context_);
  pushed_ = result == kSuccess || is_current();
  if (result != kSuccess) status_ = call_failed(driver_.context_push.name, result);
}

CurrentContext::~CurrentContext() {
  if (!pushed_) return;
  Context popped = nullptr;
  if (driver_.context_pop(&popped) != kSuccess && is_current()) driver_.context_pop(&popped);
}

bool CurrentContext::is_current() const {
  Context current = nullptr;
  return driver_.context_get_current(&current) == kSuccess && current == context_;
}

}  // namespace gatefold::cuda
