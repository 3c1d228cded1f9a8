// One block, checked against loops in f64: cross_KIND [--isa NAME] [--open libmlp.so]
#include <cstring>
#include <exception>

#include "block.h"
#include "mlp.h"

namespace {

using gatefold::Library;

/// What stands behind the flag; NULL: it is not there.
const char* value_of(const char* flag, int argc, char** argv) {
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::strcmp(argv[i], flag) == 0) return argv[i + 1];
  }
  return nullptr;
}

int run(const char* isa, const char* so_path) {
  Block block(so_path ? Library::open(so_path) : Library::link(mlp_kernels()),
              gatefold::options(0, isa));
  int wrong = 0;
  for (const int64_t rows : {1, 5, 21}) {
    wrong += !block.right(rows);
    const gf_report r = block.report();
    std::printf("kernel %s, isa %s, origin %s, match %s\n", r.kernel, r.isa, r.origin, r.match);
  }
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(value_of("--isa", argc, argv), value_of("--open", argc, argv));
  } catch (const gatefold::RuntimeError& error) {
    std::printf("refused: %s\n", error.what());
    return 3;
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
}
