// Apart from what opens libraries: a worker that is linked statically cannot have that.
#include "accuracy/isa_environment.h"

#include "gatefold/gatefold.h"
#include "runtime/select.h"
#include "spec/error.h"

namespace gatefold {

void check_isa_in_environment() {
  if (isa_in_environment() != GF_OK) fail_unavailable(gf_last_error());
}

}  // namespace gatefold
