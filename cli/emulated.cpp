#include "cli/emulated.h"

#include <dlfcn.h>

#include <sstream>
#include <string>

#include "runtime/cpu_features.h"
#include "spec/error.h"

namespace gatefold::cli {
namespace {

/// Exported by the emulator: "target,target".
constexpr const char* kMarker = "gatefold_emulated_targets";

}  // namespace

void accept_emulated_targets() {
  const auto* targets = static_cast<const char*>(dlsym(RTLD_DEFAULT, kMarker));
  if (!targets) {
    fail_unavailable(
        "--emulated: no emulator is loaded into this process, wanted one that exports " +
        std::string(kMarker) + " (LD_PRELOAD=libavx512_emulator.so)");
  }
  std::istringstream names(targets);
  for (std::string name; std::getline(names, name, ',');) assume_usable(name);
}

}  // namespace gatefold::cli
