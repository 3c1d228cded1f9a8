// What every peer in C++ shares: the lines that `gatefold bench` and a peer exchange
// (docs/peers.md).
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace peer {

using nlohmann::json;

/// The peer has no such block; the message says what it lacks.
struct Declined : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Tensor {
  const uint8_t* data = nullptr;  ///< null: the block has none
  int64_t rows = 0, cols = 1;

  int64_t count() const { return rows * cols; }
};

inline uint8_t* map_file(const std::string& path, bool writable) {
  const int fd = open(path.c_str(), writable ? O_RDWR : O_RDONLY);
  if (fd < 0) throw std::runtime_error("cannot open " + path);
  const auto size = static_cast<size_t>(lseek(fd, 0, SEEK_END));
  void* data = mmap(nullptr, size, PROT_READ | (writable ? PROT_WRITE : 0), MAP_SHARED, fd, 0);
  close(fd);
  if (data == MAP_FAILED) throw std::runtime_error("cannot map " + path);
  return static_cast<uint8_t*>(data);
}

/// One feed-forward block: h = act(gate) * up, or h = act(up), and y = down(h). Tensors are in
/// `dtype` ("f32", "bf16" or "f16") and PyTorch's layout, x and y dense.
struct Block {
  explicit Block(const json& load)
      : variant(load["variant"]),
        activation(load["activation"]),
        dtype(load["dtype"]),
        gated(load["gated"]),
        slope(load["slope"]),
        alpha(load["alpha"]),
        limit(load["limit"]),
        up_offset(load["up_offset"]),
        d_model(load["d_model"]),
        d_ff(load["d_ff"]),
        threads(load["threads"]),
        rows(load["rows"].get<std::vector<int64_t>>()),
        x(map_file(load["x"], false)),
        y(map_file(load["y"], true)) {
    const uint8_t* weights = map_file(load["weights"], false);
    const std::pair<const char*, Tensor*> places[] = {
        {"gate", &gate},           {"up", &up},           {"down", &down},
        {"gate_bias", &gate_bias}, {"up_bias", &up_bias}, {"down_bias", &down_bias}};
    for (const auto& [name, tensor] : places) {
      if (!load["tensors"].contains(name)) continue;
      const json& place = load["tensors"][name];
      *tensor = {weights + place["offset"].get<size_t>(), place["shape"][0],
                 place["shape"].size() > 1 ? place["shape"][1].get<int64_t>() : 1};
    }
  }

  /// "silu" or "quick_gelu" for swish; clamps and offsets are declined.
  std::string plain_activation() const {
    if (limit != 0 || up_offset != 0) throw Declined("no clamp and no offset of " + variant);
    if (activation != "swish") return activation;
    return alpha == 1 ? "silu" : "quick_gelu";
  }
  int64_t element_bytes() const { return dtype == "f32" ? 4 : 2; }

  std::string variant, activation, dtype;
  bool gated;
  float slope, alpha, limit, up_offset;
  int64_t d_model, d_ff;
  int threads;
  std::vector<int64_t> rows;
  Tensor gate, up, down, gate_bias, up_bias, down_bias;
  const uint8_t* x;
  uint8_t* y;
};

/// One competitor with its copies of the weights.
class Peer {
 public:
  virtual ~Peer() = default;
  /// Packs the weights once more; the copy's bytes.
  virtual size_t add_copy() = 0;
  /// Whatever a row count needs once. Not timed.
  virtual void prepare(int64_t rows, const std::vector<size_t>& copies) = 0;
  /// Computes the block from block.x into block.y: it alone is timed.
  virtual void call(size_t copy) = 0;
  /// What it calls, in one line.
  virtual std::string uses() const = 0;
};

inline int64_t involuntary_switches() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

/// The call of copy `before` wakes the threads; the second one is timed.
inline json measured(Peer& peer, const Block& block, const json& request) {
  using Clock = std::chrono::steady_clock;
  const int64_t rows = request["rows"];
  const size_t before = request["before"], copy = request["copy"];
  peer.prepare(rows, {before, copy});
  peer.call(before);
  const auto bytes = static_cast<size_t>(rows * block.d_model * block.element_bytes());
  std::fill(block.y, block.y + bytes, uint8_t{0xff});  // what the timed call leaves out is NaN
  const int64_t switches = involuntary_switches();
  const auto begin = Clock::now();
  peer.call(copy);
  const double ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  return {{"ms", ms}, {"switches", involuntary_switches() - switches}, {"uses", peer.uses()}};
}

/// Answers until stdin ends. What libraries print goes to stderr: stdout belongs to the answers.
template <typename Make>
int serve(Make make) {
  FILE* out = fdopen(dup(1), "w");
  dup2(2, 1);
  std::unique_ptr<Block> block;
  std::unique_ptr<Peer> peer;
  const auto answer = [&](const json& request) -> json {
    if (request["do"] == "run") return measured(*peer, *block, request);
    if (request["do"] == "copy") return {{"weight_bytes", peer->add_copy()}};
    block = std::make_unique<Block>(request);
    peer = make(*block);
    return {{"uses", peer->uses()}};
  };
  for (std::string line; std::getline(std::cin, line);) {
    json reply;
    try {
      reply = answer(json::parse(line));
    } catch (const Declined& reason) {
      reply = {{"declined", reason.what()}};
    } catch (const std::exception& error) {
      reply = {{"error", error.what()}};
    }
    std::fputs((reply.dump() + "\n").c_str(), out);
    std::fflush(out);
  }
  return 0;
}

}  // namespace peer
