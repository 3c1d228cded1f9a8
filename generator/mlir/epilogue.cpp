#include "generator/mlir/epilogue.h"

#include "generator/mlir/scalar_emission.h"

namespace gatefold {
namespace {

/// Eight f32 that stand together, 16-byte aligned.
Values load_eight(Builder& b, Value pointer) {
  Values values = b.load_reals(pointer, 4);
  const Values rest = b.load_reals(b.at(pointer, 16), 4);
  values.insert(values.end(), rest.begin(), rest.end());
  return values;
}

void store_eight(Builder& b, Value pointer, const Values& reals) {
  b.store(pointer, Values(reals.begin(), reals.begin() + 4));
  b.store(b.at(pointer, 16), Values(reals.begin() + 4, reals.end()));
}

Values rounded(Builder& b, const Values& reals) {
  Values words;
  for (size_t i = 0; i < reals.size(); i += 2) words.push_back(b.halves(reals[i], reals[i + 1]));
  return words;
}

Values with_bias(Builder& b, const char* bias, Value column, const Values& sums) {
  const Value place = b.multiply(b.widened(column), 4);
  const Values added = load_eight(b, b.at(b.parameter(bias), place));
  Values out;
  for (size_t i = 0; i < sums.size(); ++i) out.push_back(b.add_real(sums[i], added[i]));
  return out;
}

Value partial_at(Builder& b, Value split, Value row, Value column) {
  const Value rows = b.widened(b.parameter("rows")), columns = b.widened(b.parameter("columns"));
  const Value line = b.add(b.multiply(b.widened(split), rows), b.widened(row));
  const Value index = b.add(b.multiply(line, columns), b.widened(column));
  return b.at(b.parameter("partial"), b.multiply(index, 4));
}

}  // namespace

void for_each_group(Builder& b, const GemmTile& tile, Value row0, Value column0,
                    const Group& body) {
  const int groups = tile.bn / kChunk;
  const int turns = tile.bm * groups / tile.threads();
  const Value shared = b.shared_memory();
  b.loop(b.constant(0), b.constant(turns), {}, [&](Value i, const Values&) {
    const Value id = b.add(b.multiply(i, tile.threads()), b.thread());
    const Value row = b.divide(id, groups);
    const Value column = b.multiply(b.remainder(id, groups), kChunk);
    const Value place = b.add(b.multiply(row, tile.staged_stride()), column);
    const Value base = b.at(shared, b.multiply(place, 4));
    std::vector<Values> sums;
    for (int matrix = 0; matrix < tile.matrices; ++matrix) {
      const int64_t plane = int64_t{matrix} * tile.bm * tile.staged_stride() * 4;
      sums.push_back(load_eight(b, b.at(base, plane)));
    }
    body(b.add(row0, row), b.add(column0, column), sums);
    return Values();
  });
}

void store_hidden(Builder& b, const FfnSpec& ffn, const ScalarProgram& activation, Value row,
                  Value column, const std::vector<Values>& sums) {
  const Value columns = b.parameter("hidden_columns");
  const Value inside = b.bit_and(b.less(row, b.parameter("rows")), b.less(column, columns));
  b.when(inside, [&] {
    std::vector<Values> inputs = sums;
    if (ffn.bias && ffn.variant.gated) inputs[0] = with_bias(b, "gate_bias", column, inputs[0]);
    if (ffn.bias) inputs.back() = with_bias(b, "up_bias", column, inputs.back());
    Values hidden;
    for (int i = 0; i < kChunk; ++i) {
      Values arguments;
      for (const Values& input : inputs) arguments.push_back(input[size_t(i)]);
      // Padded columns have zero weights and biases, but beside an infinite x those give NaN.
      const Value real = b.less(b.add(column, i), b.parameter("d_ff"));
      hidden.push_back(b.select(real, emit(b, activation, arguments), b.number(0)));
    }
    const Value index = b.add(b.multiply(b.widened(row), b.widened(columns)), b.widened(column));
    b.store(b.at(b.parameter("hidden"), b.multiply(index, 2)), rounded(b, hidden));
  });
}

OutputStore::OutputStore(Builder& b, const FfnSpec& ffn) : b_(b), ffn_(ffn) {
  y_aligned_ = is_aligned("y", "y_stride");
  if (ffn.residual) residual_aligned_ = is_aligned("residual", "residual_stride");
}

Value OutputStore::is_aligned(const char* base, const char* stride) const {
  const Value bytes = b_.multiply(b_.widened(b_.parameter(stride)), 2);
  const Value bits = b_.bit_or(b_.address(b_.parameter(base)), bytes);
  return b_.is_zero(b_.bit_and(bits, b_.constant(kChunkBytes - 1, 64)));
}

Value OutputStore::element(const char* base, const char* stride, Value row, Value column) const {
  const Value begin = b_.multiply(b_.widened(row), b_.widened(b_.parameter(stride)));
  const Value bytes = b_.multiply(b_.add(begin, b_.widened(column)), 2);
  return b_.at(b_.parameter(base), bytes);
}

Values OutputStore::residual(Value row, Value column, Value whole) const {
  const Value from = element("residual", "residual_stride", row, column);
  const auto at_once = [&] {
    Values reals;
    for (const Value& word : b_.load_words(from, kChunk / 2)) {
      reals.push_back(b_.half_to_real(b_.bit_and(word, b_.constant(0xffff))));
      reals.push_back(b_.half_to_real(b_.shift_right(word, 16)));
    }
    return reals;
  };
  const auto one_by_one = [&] {
    Values reals;
    for (int i = 0; i < kChunk; ++i) {
      const Value inside = b_.less(b_.add(column, i), b_.parameter("d_model"));
      const Values one = b_.choose(
          inside, 1, [&] { return Values{b_.half_to_real(b_.load_half(b_.at(from, 2 * i)))}; },
          [&] { return Values{b_.number(0)}; });
      reals.push_back(one[0]);
    }
    return reals;
  };
  return b_.choose(b_.bit_and(whole, residual_aligned_), kChunk, at_once, one_by_one);
}

void OutputStore::store(Value row, Value column, Values sums) const {
  const Value d_model = b_.parameter("d_model");
  const Value whole = b_.at_most(b_.add(column, kChunk), d_model);
  if (ffn_.bias) sums = with_bias(b_, "down_bias", column, sums);
  if (ffn_.residual) {
    const Values added = residual(row, column, whole);
    for (size_t i = 0; i < sums.size(); ++i) sums[i] = b_.add_real(sums[i], added[i]);
  }
  const Values words = rounded(b_, sums);
  const Value to = element("y", "y_stride", row, column);
  const Value fast = b_.bit_and(whole, y_aligned_);
  b_.when(fast, [&] { b_.store(to, words); });
  b_.when(b_.bit_xor(fast, b_.constant(1, 1)), [&] {
    for (int i = 0; i < kChunk; ++i) {
      const Value word = words[size_t(i / 2)];
      b_.when(b_.less(b_.add(column, i), d_model),
              [&] { b_.store_half(b_.at(to, 2 * i), i % 2 ? b_.shift_right(word, 16) : word); });
    }
  });
}

void store_partial(Builder& b, Value row, Value column, const Values& sums) {
  store_eight(b, partial_at(b, b.block(2), row, column), sums);
}

Values load_partial(Builder& b, int splits, Value row, Value column) {
  Values sums = load_eight(b, partial_at(b, b.constant(0), row, column));
  for (int split = 1; split < splits; ++split) {
    const Values more = load_eight(b, partial_at(b, b.constant(split), row, column));
    for (size_t i = 0; i < sums.size(); ++i) sums[i] = b.add_real(sums[i], more[i]);
  }
  return sums;
}

}  // namespace gatefold
