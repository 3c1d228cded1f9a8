#include "tests/ptx/block.h"

#include <fmt/format.h>

#include <algorithm>

#include "tests/ptx/warp.h"

namespace gatefold::ptx {
namespace {

uint32_t threads_of(const Launch& launch) {
  return launch.block[0] * launch.block[1] * launch.block[2];
}

std::vector<std::byte> laid_out(const Kernel& kernel, const Launch& launch) {
  std::vector<std::byte> bytes(kernel.parameter_bytes);
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    std::copy(launch.parameters[i].begin(), launch.parameters[i].end(),
              bytes.begin() + kernel.parameters[i].offset);
  }
  return bytes;
}

}  // namespace

Block::Block(const Module& module, const Kernel& kernel, const Launch& launch, Memory& memory)
    : module(module),
      kernel(kernel),
      launch(launch),
      memory(memory),
      threads(threads_of(launch)),
      shared(kernel, launch.shared_bytes),
      copies(threads, memory, shared),
      local(threads, kernel.local_bytes),
      parameters(laid_out(kernel, launch)) {
  for (uint32_t i = 0; i * kLanes < threads; ++i) warps_.emplace_back(*this, i);
}

Block::~Block() = default;

void Block::run(std::array<uint32_t, 3> at, Summary& summary) {
  index = at;
  shared.begin_block();
  local.begin_block();
  for (Warp& warp : warps_) warp.begin_block();
  do {
    for (Warp& warp : warps_) warp.run();
    shared.pass_barrier();
  } while (all_at_barrier());
  for (const Warp& warp : warps_) {
    summary.instructions += warp.instructions();
    summary.matrix_products += warp.matrix_products();
    summary.async_copies += warp.async_copies();
  }
  summary.copies_left_pending += copies.end_block();
}

bool Block::all_at_barrier() const {
  const auto waits = [](const Warp& warp) { return warp.state() == Warp::State::at_barrier; };
  const auto waiting = std::find_if(warps_.begin(), warps_.end(), waits);
  if (waiting == warps_.end()) return false;
  for (const Warp& warp : warps_) {
    if (waits(warp) && warp.barrier() == waiting->barrier()) continue;
    const std::string other =
        waits(warp) ? fmt::format("waits at barrier {}", warp.barrier()) : "has ended";
    fault(waiting->barrier_place(), waiting->index() * kLanes,
          fmt::format("barrier {} is not reached by all threads: warp {} waits there, warp {} {}",
                      waiting->barrier(), waiting->index(), warp.index(), other));
  }
  return true;
}

std::array<uint32_t, 3> Block::place_of(uint32_t thread) const {
  const uint32_t x = launch.block[0], y = launch.block[1];
  return {thread % x, thread / x % y, thread / (x * y)};
}

void Block::fault(size_t instruction, uint32_t thread, const std::string& what) const {
  const int line = instruction < kernel.code.size() ? kernel.code[instruction].line : kernel.line;
  const auto place = place_of(thread);
  throw Fault(fmt::format("kernel {}, line {} `{}`, block ({}, {}, {}), thread ({}, {}, {}): {}",
                          kernel.name, line, module.line(line), index[0], index[1], index[2],
                          place[0], place[1], place[2], what),
              line, index, place, what);
}

}  // namespace gatefold::ptx
