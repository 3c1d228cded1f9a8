// A BLAS: two or three sgemm (sgemv for one row) and a vectorised activation between them.
//   blas LIBRARY PREFIX NAME   with the prefix of its symbols, "-" for none
// build: -march=native -ffast-math -fopenmp -ldl
#include <dlfcn.h>

#include <cmath>
#include <cstring>

#include "bench/peers/peer.h"

namespace {

enum { kRowMajor = 101, kNoTranspose = 111, kTranspose = 112 };  // of cblas.h

using Gemm = void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int,
                      float, float*, int);
using Gemv = void (*)(int, int, int, int, float, const float*, int, const float*, int, float,
                      float*, int);

struct Library {
  Library(const char* path, std::string prefix, std::string name) : name(std::move(name)) {
    void* handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!handle) throw std::runtime_error(dlerror());
    if (prefix == "-") prefix.clear();
    gemm = reinterpret_cast<Gemm>(dlsym(handle, (prefix + "cblas_sgemm").c_str()));
    gemv = reinterpret_cast<Gemv>(dlsym(handle, (prefix + "cblas_sgemv").c_str()));
    if (!gemm || !gemv)
      throw std::runtime_error(std::string(path) + ": no " + prefix + "cblas_sgemm");
  }
  std::string name;
  Gemm gemm = nullptr;
  Gemv gemv = nullptr;
};

// One loop for each activation: `act` is known where it is compiled, so it becomes vector code.
// Waking threads for a few values would cost more than they save.
constexpr int64_t kParallelFrom = 1 << 17;

template <typename Act>
void dense_rows(Act act, const float* bias, int64_t rows, int64_t n, float* h) {
#pragma omp parallel for if (rows * n > kParallelFrom)
  for (int64_t r = 0; r < rows; ++r) {
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) h[r * n + i] = act(h[r * n + i] + (bias ? bias[i] : 0.0f));
  }
}

template <typename Act>
void gated_rows(Act act, const float* gate_bias, const float* up_bias, int64_t rows, int64_t n,
                const float* up, float* h) {
#pragma omp parallel for if (rows * n > kParallelFrom)
  for (int64_t r = 0; r < rows; ++r) {
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) {
      const float u = up[r * n + i] + (up_bias ? up_bias[i] : 0.0f);
      h[r * n + i] = act(h[r * n + i] + (gate_bias ? gate_bias[i] : 0.0f)) * u;
    }
  }
}

/// Calls `use` with the activation's function object.
template <typename Use>
void with_activation(const peer::Block& b, const std::string& name, Use&& use) {
  const float alpha = b.alpha, slope = b.slope;
  if (name == "silu" || name == "quick_gelu") {
    return use([alpha](float z) { return z / (1 + std::exp(-alpha * z)); });
  }
  if (name == "sigmoid") return use([](float z) { return 1 / (1 + std::exp(-z)); });
  if (name == "identity") return use([](float z) { return z; });
  if (name == "relu") return use([](float z) { return z > 0 ? z : 0; });
  if (name == "leaky_relu") return use([slope](float z) { return z > 0 ? z : slope * z; });
  if (name == "relu2") return use([](float z) { return z > 0 ? z * z : 0; });
  if (name == "gelu") {
    return use([](float z) { return 0.5f * z * (1 + std::erf(z * 0.70710678f)); });
  }
  // tanh through exp, which has a vector form
  return use([](float z) {
    const float t = 0.79788456f * (z + 0.044715f * z * z * z);
    return z * (1 - 1 / (1 + std::exp(2 * t)));
  });
}

class Blas : public peer::Peer {
 public:
  Blas(const Library& library, const peer::Block& block)
      : library_(library), block_(block), activation_(block.plain_activation()) {
    if (block.dtype != "f32") throw peer::Declined("no " + block.dtype + ": sgemm is f32");
  }

  size_t add_copy() override {
    copies_.push_back({values(block_.gate), values(block_.up), values(block_.down)});
    const Copy& copy = copies_.back();
    return (copy.gate.size() + copy.up.size() + copy.down.size()) * sizeof(float);
  }

  void prepare(int64_t rows, const std::vector<size_t>&) override {
    rows_ = rows;
    up_.resize(static_cast<size_t>(rows * block_.d_ff));
    hidden_.resize(up_.size());
  }

  void call(size_t index) override {
    const Copy& copy = copies_[index];
    const int64_t d = block_.d_model, f = block_.d_ff;
    const auto* x = reinterpret_cast<const float*>(block_.x);
    auto* y = reinterpret_cast<float*>(block_.y);
    float* h = hidden_.data();
    product(x, copy.up, f, d, nullptr, block_.gated ? up_.data() : h);
    if (block_.gated) product(x, copy.gate, f, d, nullptr, h);
    with_activation(block_, activation_, [&](auto act) {
      if (block_.gated) {
        gated_rows(act, of(block_.gate_bias), of(block_.up_bias), rows_, f, up_.data(), h);
      } else {
        dense_rows(act, of(block_.up_bias), rows_, f, h);
      }
    });
    product(h, copy.down, d, f, of(block_.down_bias), y);
  }

  std::string uses() const override { return library_.name + " sgemm, vectorised activation"; }

 private:
  struct Copy {
    std::vector<float> gate, up, down;
  };

  static const float* of(const peer::Tensor& tensor) {
    return reinterpret_cast<const float*>(tensor.data);
  }
  static std::vector<float> values(const peer::Tensor& tensor) {
    return {of(tensor), of(tensor) + (tensor.data ? tensor.count() : 0)};
  }

  /// y = x W^T (+ bias); W is [n, k].
  void product(const float* x, const std::vector<float>& w, int64_t n, int64_t k, const float* bias,
               float* y) const {
    const int in = static_cast<int>(n), ik = static_cast<int>(k);
    for (int64_t r = 0; bias && r < rows_; ++r) std::memcpy(y + r * n, bias, n * sizeof(float));
    const float beta = bias ? 1.0f : 0.0f;
    if (rows_ == 1) {
      library_.gemv(kRowMajor, kNoTranspose, in, ik, 1, w.data(), ik, x, 1, beta, y, 1);
    } else {
      library_.gemm(kRowMajor, kNoTranspose, kTranspose, static_cast<int>(rows_), in, ik, 1, x, ik,
                    w.data(), ik, beta, y, in);
    }
  }

  const Library& library_;
  const peer::Block& block_;
  std::string activation_;
  int64_t rows_ = 0;
  std::vector<Copy> copies_;
  std::vector<float> up_, hidden_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: blas LIBRARY PREFIX NAME\n");
    return 2;
  }
  std::unique_ptr<Library> library;
  return peer::serve([&](const peer::Block& block) {
    if (!library) library = std::make_unique<Library>(argv[1], argv[2], argv[3]);
    return std::make_unique<Blas>(*library, block);
  });
}
