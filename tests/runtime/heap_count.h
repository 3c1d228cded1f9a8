#pragma once

#include <cstdint>

namespace gatefold::test {

/// How often this program has called operator new.
int64_t heap_count();

}  // namespace gatefold::test
