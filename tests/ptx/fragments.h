#pragma once

// Which element of a matrix a lane holds, after the PTX ISA document: "Matrix Fragments for
// mma.m16n8k8", "… for mma.m16n8k16" and "Warp-level matrix load instruction: ldmatrix".

namespace gatefold::ptx {

struct Element {
  int row, column;
  friend bool operator==(const Element&, const Element&) = default;
};

// A lane is one of four (`lane % 4`) of one of eight groups (`lane / 4`). In all that follows
// element i is the half i % 2 (0: low) of register i / 2, or with sums in f32 register i.

/// A, 16 x k, row-major: i of 0 … 3 for k = 8, to 7 for k = 16.
constexpr Element fragment_a(int lane, int i) {
  return {lane / 4 + (i % 4 >= 2 ? 8 : 0), lane % 4 * 2 + i % 2 + (i >= 4 ? 8 : 0)};
}

/// B, k x 8, column-major: i of 0 … 1 for k = 8, to 3 for k = 16.
constexpr Element fragment_b(int lane, int i) {
  return {lane % 4 * 2 + i % 2 + (i >= 2 ? 8 : 0), lane / 4};
}

/// C and D, 16 x 8: i of 0 … 3.
constexpr Element fragment_c(int lane, int i) {
  return {lane / 4 + (i >= 2 ? 8 : 0), lane % 4 * 2 + i % 2};
}

/// ldmatrix: of an 8 x 8 matrix whose row r stands where lane r of its eight says; i of 0 … 1.
constexpr Element fragment_of_load(int lane, int i, bool transposed) {
  const int group = lane / 4, place = lane % 4 * 2 + i;
  return transposed ? Element{place, group} : Element{group, place};
}

}  // namespace gatefold::ptx
