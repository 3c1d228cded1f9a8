#include <exception>
#include <thread>

#include "alpha.h"
#include "beta.h"
#include "block.h"
#include "gamma.h"

namespace {

using gatefold::Library;

/// All blocks at once, over and over; the number of calls whose bits differ from the first.
int run_together(std::vector<Block*> blocks) {
  std::vector<int> wrong(blocks.size(), 0);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < blocks.size(); ++i) {
    threads.emplace_back([&wrong, i, block = blocks[i]] {
      const std::vector<float> first = block->run(9);
      for (int call = 0; call < 20; ++call) wrong[i] += block->run(9) != first;
    });
  }
  for (std::thread& thread : threads) thread.join();
  int all = 0;
  for (const int count : wrong) all += count;
  return all;
}

int run() {
  Block alpha(Library::link(alpha_kernels())), beta(Library::link(beta_kernels()));
  Block gamma(Library::link(gamma_kernels())), opened(Library::open(ALPHA_SO));
  int wrong = 0;
  for (Block* block : {&alpha, &beta, &gamma, &opened}) {
    for (const int64_t rows : {1, 5, 21}) wrong += !block->right(rows);
  }
  if (alpha.run(5) != opened.run(5)) {
    std::printf("alpha differs between its static and its shared library\n");
    ++wrong;
  }
  const int unsteady = run_together({&alpha, &beta, &gamma, &opened});
  std::printf("%d concurrent calls with other bits\n", unsteady);
  return wrong + unsteady == 0 ? 0 : 1;
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const std::exception& e) {
    std::printf("%s\n", e.what());
    return 1;
  }
}
