#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/ptx/async_copies.h"
#include "tests/ptx/interpreter.h"
#include "tests/ptx/local_memory.h"
#include "tests/ptx/shared_memory.h"

namespace gatefold::ptx {

class Warp;

/// One block at a time: its warps take turns from barrier to barrier.
class Block {
 public:
  Block(const Module& module, const Kernel& kernel, const Launch& launch, Memory& memory);
  ~Block();

  void run(std::array<uint32_t, 3> index, Summary& summary);

  const Module& module;
  const Kernel& kernel;
  const Launch& launch;
  Memory& memory;
  const uint32_t threads;
  SharedMemory shared;
  AsyncCopies copies;
  LocalMemory local;
  const std::vector<std::byte> parameters;
  std::array<uint32_t, 3> index{};

  std::array<uint32_t, 3> place_of(uint32_t thread) const;
  /// `instruction`: its index in the kernel's code.
  [[noreturn]] void fault(size_t instruction, uint32_t thread, const std::string& what) const;

 private:
  /// Whether all warps wait at the same barrier; false if all have ended.
  bool all_at_barrier() const;

  std::vector<Warp> warps_;
};

}  // namespace gatefold::ptx
