// Prints how the runtime sees the CPU that this runs on: name, numbers, best target.
#include <cstdio>

#include "runtime/machine.h"

int main() {
  const gatefold::Machine m = gatefold::read_machine();
  std::printf("%s (%s %#x %#x), best target %s, %d threads\n", m.cpu.c_str(), m.vendor.c_str(),
              static_cast<unsigned>(m.family), static_cast<unsigned>(m.model), m.isa.c_str(),
              m.threads);
  return 0;
}
