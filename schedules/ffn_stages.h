#pragma once

#include <Halide.h>

#include <string>
#include <vector>

#include "spec/ffn_spec.h"

namespace gatefold {

/// What a schedule may touch: the Funcs, Vars and RVars of one block, and nothing about what it
/// computes between its two projections.

/// One matrix product, tiled:  sum(ni, v, mi, mo, no) = Σ_k input(k, m) · W(k, n)
/// with m = mo·mr + mi, v the weight stream and ni the column in that stream's panel number `no`.
struct Projection {
  Halide::Func input;                       ///< (kk, kq, mi, mo)
  Halide::Func part;                        ///< (ni, v, mi, mo, no, kv): one k-block, kv its number
  Halide::Func sum;                         ///< (ni, v, mi, mo, no); undefined if k is one block
  Halide::RDom k;                           ///< (k in word, word in iteration, iteration)
  Halide::RDom blocks;                      ///< over kv; undefined if k is one block
  std::vector<Halide::ImageParam> streams;  ///< (k in word, column, word, panel), 64-byte aligned
  /// Panels of one matrix read side by side, and how many columns `out` takes from one step of no.
  int panels_per_matrix = 1;
  Halide::Func out;  ///< (n, m), reads sum (or part) once per element; see FfnStages::hidden
};

struct FfnStages {
  KernelSpec kernel;

  Halide::Var n{"n"}, m{"m"};                        ///< column and row of flat stages
  Halide::Var kk{"kk"}, kq{"kq"};                    ///< k in word, word
  Halide::Var mi{"mi"}, mo{"mo"};                    ///< row in register tile, tile
  Halide::Var ni{"ni"}, v{"v"}, no{"no"}, kv{"kv"};  ///< column in panel, stream, group, k-block

  Halide::Var row_block{"row_block"};  ///< of blocked fusion

  Halide::ImageParam x;
  Halide::Func x_packed;          ///< (kk, kq, mi, mo), zero outside x
  std::vector<Projection> first;  ///< gate and up in one, or (unfused) one each
  /// (n, m), on a device (ni, v, mi, mo, no), like every `out` but down's; that of first[0] unless
  /// unfused.
  Halide::Func hidden;
  Projection down;              ///< its `input` is hidden by tiles, its `out` y in whole tiles
  Halide::Func y;               ///< (n, m), the output
  Halide::Expr hidden_columns;  ///< columns that down reads
  std::vector<Halide::ImageParam> biases;
  Halide::ImageParam residual;  ///< (n, m); undefined if the block adds none
  Halide::Param<int32_t> d_ff{"d_ff"};

  bool streamed() const { return kernel.point.fusion == Fusion::streamed; }
  bool unfused() const { return kernel.point.fusion == Fusion::unfused; }
};

/// Applies the kernel's schedule point for its target.
void schedule(FfnStages& stages);

/// The Halide target of a kernel: no runtime, no checks (the caller of the kernel has made them).
Halide::Target halide_target(const KernelSpec& kernel);

}  // namespace gatefold
