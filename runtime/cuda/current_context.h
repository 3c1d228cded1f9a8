#pragma once

#include "runtime/cuda/driver.h"

namespace gatefold::cuda {

/// Makes a context the calling thread's current one for a scope, and then the thread's stack of
/// contexts what it was. What fails at the end is not told: the call's own result stands.
class CurrentContext {
 public:
  CurrentContext(const Driver& driver, Context context);
  ~CurrentContext();
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;

  /// GF_OK, or why the context is not current.
  gf_status status() const { return status_; }

 private:
  bool is_current() const;

  const Driver& driver_;
  Context context_;
  bool pushed_ = false;
  gf_status status_ = GF_OK;
};

}  // namespace gatefold::cuda
