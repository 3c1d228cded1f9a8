#include "generator/mlir/tensor_core.h"

#include "generator/mlir/epilogue.h"
#include "generator/mlir/expression.h"
#include "generator/mlir/lowering.h"
#include "generator/mlir/main_loop.h"
#include "generator/mlir/scalar_emission.h"
#include "spec/error.h"

namespace gatefold {
namespace {

/// Of the kernels that go over elements and not over tiles.
constexpr int kPlainThreads = 128;

KernelEntry entry_of(const std::string& name, const GemmTile& tile, int splits,
                     std::vector<KernelParameter> parameters) {
  return {name,  std::move(parameters), tile.threads(), tile.shared_bytes(), tile.bm, tile.bn,
          splits};
}

/// Rows are the first dimension of the grid: blocks that run at the same time share weights.
GemmOperands operands_of(Builder& b, const GemmTile& tile, const char* columns) {
  GemmOperands o;
  o.words = b.parameter("words");
  o.rows = b.parameter("rows");
  o.columns = b.parameter(columns);
  o.row0 = b.multiply(b.block(0), tile.bm);
  o.column0 = b.multiply(b.block(1), tile.bn);
  o.step0 = b.constant(0);
  o.steps = b.divide(b.add(o.words, tile.row_chunks() - 1), tile.row_chunks());
  return o;
}

void take_part_of_k(Builder& b, GemmOperands& o, int splits) {
  const Value each = b.divide(b.add(o.steps, splits - 1), splits);
  const Value end = b.multiply(b.add(b.block(2), 1), each);
  o.step0 = b.multiply(b.block(2), each);
  o.steps = b.least(end, o.steps);
}

void begin(Builder& b, const KernelEntry& entry) {
  b.begin_kernel(entry.name, entry.parameters, entry.threads);
}

void append_hidden(Builder& b, const TensorCoreKernel& k, const MainLoop& loop) {
  const GemmTile tile = hidden_tile(k.spec, k.point);
  const FfnSpec& ffn = k.spec.ffn;
  const ScalarProgram activation = hidden_program(ffn.variant);
  begin(b, k.hidden);
  GemmOperands o = operands_of(b, tile, "hidden_columns");
  o.a = b.parameter("x");
  o.a_stride = b.parameter("x_stride");
  if (ffn.variant.gated) o.b.push_back(b.parameter("gate"));
  o.b.push_back(b.parameter("up"));
  loop.emit(b, tile, o);
  for_each_group(b, tile, o.row0, o.column0, [&](Value row, Value column, const auto& sums) {
    store_hidden(b, ffn, activation, row, column, sums);
  });
  b.end_kernel();
}

void append_down(Builder& b, const TensorCoreKernel& k, const MainLoop& loop) {
  const GemmTile tile = down_tile(k.spec, k.point);
  begin(b, k.down);
  GemmOperands o = operands_of(b, tile, "columns");
  o.a = b.parameter("hidden");
  o.a_stride = b.parameter("hidden_columns");
  o.b = {b.parameter("down")};
  if (k.sum) take_part_of_k(b, o, k.point.split_k);
  loop.emit(b, tile, o);
  std::optional<OutputStore> output;
  if (!k.sum) output.emplace(b, k.spec.ffn);
  const Value columns = b.parameter(k.sum ? "columns" : "d_model");
  for_each_group(b, tile, o.row0, o.column0, [&](Value row, Value column, const auto& sums) {
    b.when(b.bit_and(b.less(row, o.rows), b.less(column, columns)), [&] {
      if (output) {
        output->store(row, column, sums[0]);
      } else {
        store_partial(b, row, column, sums[0]);
      }
    });
  });
  b.end_kernel();
}

/// One row in a block, eight columns in a thread.
void append_sum(Builder& b, const TensorCoreKernel& k) {
  begin(b, *k.sum);
  const OutputStore output(b, k.spec.ffn);
  const Value row = b.block(0);
  const Value group = b.add(b.multiply(b.block(1), kPlainThreads), b.thread());
  const Value column = b.multiply(group, kChunk);
  b.when(b.less(column, b.parameter("d_model")),
         [&] { output.store(row, column, load_partial(b, k.point.split_k, row, column)); });
  b.end_kernel();
}

}  // namespace

TensorCoreKernel tensor_core_kernel(const KernelSpec& spec, const TensorCorePoint& point,
                                    int capability, const std::string& symbol) {
  if (const auto reason = why_illegal(spec, point, capability)) {
    fail_usage("tensor cores: " + *reason);
  }
  const bool split = point.split_k > 1;
  TensorCoreKernel k{spec, point, capability, {}, {}, {}};
  k.hidden = entry_of(symbol + "_hidden", hidden_tile(spec, point), 1, hidden_parameters(spec.ffn));
  k.down = entry_of(symbol + "_down", down_tile(spec, point), point.split_k,
                    down_parameters(spec.ffn, split));
  if (split) {
    k.sum = KernelEntry{
        symbol + "_sum", sum_parameters(spec.ffn), kPlainThreads, 0, 1, kPlainThreads * kChunk, 1};
  }
  return k;
}

std::string tensor_core_ptx(const TensorCoreKernel& kernel) {
  PtxModule module(kernel.capability);
  Builder b(module.body(), kernel.spec.ffn.dtype);
  const auto loop = mma_sync_loop();
  append_hidden(b, kernel, *loop);
  append_down(b, kernel, *loop);
  if (kernel.sum) append_sum(b, kernel);
  return module.ptx();
}

std::string elementwise_ptx(const ScalarProgram& program, int arguments, int capability,
                            const std::string& name) {
  PtxModule module(capability);
  Builder b(module.body(), DType::bf16);
  std::vector<KernelParameter> parameters;
  for (int i = 0; i < arguments; ++i) parameters.push_back({"in_" + std::to_string(i), true});
  parameters.push_back({"out", true});
  parameters.push_back({"count", false});
  b.begin_kernel(name, parameters, kPlainThreads);
  const Value i = b.add(b.multiply(b.block(0), kPlainThreads), b.thread());
  b.when(b.less(i, b.parameter("count")), [&] {
    const Value bytes = b.multiply(b.widened(i), 4);
    Values values;
    for (int n = 0; n < arguments; ++n) {
      values.push_back(b.load_reals(b.at(b.parameter(parameters[size_t(n)].name), bytes), 1)[0]);
    }
    b.store(b.at(b.parameter("out"), bytes), {emit(b, program, values)});
  });
  b.end_kernel();
  return module.ptx();
}

}  // namespace gatefold
