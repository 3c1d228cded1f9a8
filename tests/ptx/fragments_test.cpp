#include "tests/ptx/fragments.h"

#include <gtest/gtest.h>

#include <vector>

namespace gatefold::ptx {
namespace {

// Written down from the figures of the PTX ISA document, element by element: who holds it (the
// lane), and as which element of its fragment (a0 … a7 and so on).
using Table = std::vector<std::vector<int>>;

const Table kLanesOfA = {{0, 0, 1, 1, 2, 2, 3, 3, 0, 0, 1, 1, 2, 2, 3, 3},
                         {4, 4, 5, 5, 6, 6, 7, 7, 4, 4, 5, 5, 6, 6, 7, 7},
                         {8, 8, 9, 9, 10, 10, 11, 11, 8, 8, 9, 9, 10, 10, 11, 11},
                         {12, 12, 13, 13, 14, 14, 15, 15, 12, 12, 13, 13, 14, 14, 15, 15},
                         {16, 16, 17, 17, 18, 18, 19, 19, 16, 16, 17, 17, 18, 18, 19, 19},
                         {20, 20, 21, 21, 22, 22, 23, 23, 20, 20, 21, 21, 22, 22, 23, 23},
                         {24, 24, 25, 25, 26, 26, 27, 27, 24, 24, 25, 25, 26, 26, 27, 27},
                         {28, 28, 29, 29, 30, 30, 31, 31, 28, 28, 29, 29, 30, 30, 31, 31},
                         {0, 0, 1, 1, 2, 2, 3, 3, 0, 0, 1, 1, 2, 2, 3, 3},
                         {4, 4, 5, 5, 6, 6, 7, 7, 4, 4, 5, 5, 6, 6, 7, 7},
                         {8, 8, 9, 9, 10, 10, 11, 11, 8, 8, 9, 9, 10, 10, 11, 11},
                         {12, 12, 13, 13, 14, 14, 15, 15, 12, 12, 13, 13, 14, 14, 15, 15},
                         {16, 16, 17, 17, 18, 18, 19, 19, 16, 16, 17, 17, 18, 18, 19, 19},
                         {20, 20, 21, 21, 22, 22, 23, 23, 20, 20, 21, 21, 22, 22, 23, 23},
                         {24, 24, 25, 25, 26, 26, 27, 27, 24, 24, 25, 25, 26, 26, 27, 27},
                         {28, 28, 29, 29, 30, 30, 31, 31, 28, 28, 29, 29, 30, 30, 31, 31}};

const std::vector<int> kUpperRowOfA = {0, 1, 0, 1, 0, 1, 0, 1, 4, 5, 4, 5, 4, 5, 4, 5};
const std::vector<int> kLowerRowOfA = {2, 3, 2, 3, 2, 3, 2, 3, 6, 7, 6, 7, 6, 7, 6, 7};

// Rows are k, columns n.
const Table kLanesOfB = {
    {0, 4, 8, 12, 16, 20, 24, 28},  {0, 4, 8, 12, 16, 20, 24, 28},  {1, 5, 9, 13, 17, 21, 25, 29},
    {1, 5, 9, 13, 17, 21, 25, 29},  {2, 6, 10, 14, 18, 22, 26, 30}, {2, 6, 10, 14, 18, 22, 26, 30},
    {3, 7, 11, 15, 19, 23, 27, 31}, {3, 7, 11, 15, 19, 23, 27, 31}, {0, 4, 8, 12, 16, 20, 24, 28},
    {0, 4, 8, 12, 16, 20, 24, 28},  {1, 5, 9, 13, 17, 21, 25, 29},  {1, 5, 9, 13, 17, 21, 25, 29},
    {2, 6, 10, 14, 18, 22, 26, 30}, {2, 6, 10, 14, 18, 22, 26, 30}, {3, 7, 11, 15, 19, 23, 27, 31},
    {3, 7, 11, 15, 19, 23, 27, 31}};
const std::vector<int> kElementOfRowOfB = {0, 1, 0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3, 2, 3};

const Table kLanesOfC = {{0, 0, 1, 1, 2, 2, 3, 3},         {4, 4, 5, 5, 6, 6, 7, 7},
                         {8, 8, 9, 9, 10, 10, 11, 11},     {12, 12, 13, 13, 14, 14, 15, 15},
                         {16, 16, 17, 17, 18, 18, 19, 19}, {20, 20, 21, 21, 22, 22, 23, 23},
                         {24, 24, 25, 25, 26, 26, 27, 27}, {28, 28, 29, 29, 30, 30, 31, 31},
                         {0, 0, 1, 1, 2, 2, 3, 3},         {4, 4, 5, 5, 6, 6, 7, 7},
                         {8, 8, 9, 9, 10, 10, 11, 11},     {12, 12, 13, 13, 14, 14, 15, 15},
                         {16, 16, 17, 17, 18, 18, 19, 19}, {20, 20, 21, 21, 22, 22, 23, 23},
                         {24, 24, 25, 25, 26, 26, 27, 27}, {28, 28, 29, 29, 30, 30, 31, 31}};
const std::vector<int> kUpperRowOfC = {0, 1, 0, 1, 0, 1, 0, 1};
const std::vector<int> kLowerRowOfC = {2, 3, 2, 3, 2, 3, 2, 3};

const Table kLanesOfLoad = {{0, 0, 1, 1, 2, 2, 3, 3},         {4, 4, 5, 5, 6, 6, 7, 7},
                            {8, 8, 9, 9, 10, 10, 11, 11},     {12, 12, 13, 13, 14, 14, 15, 15},
                            {16, 16, 17, 17, 18, 18, 19, 19}, {20, 20, 21, 21, 22, 22, 23, 23},
                            {24, 24, 25, 25, 26, 26, 27, 27}, {28, 28, 29, 29, 30, 30, 31, 31}};

const std::vector<int> kHalfOfLoad = {0, 1, 0, 1, 0, 1, 0, 1};

TEST(Fragments, A) {
  for (int row = 0; row < 16; ++row) {
    for (int k = 0; k < 16; ++k) {
      const int element = (row < 8 ? kUpperRowOfA : kLowerRowOfA)[k];
      EXPECT_EQ(fragment_a(kLanesOfA[row][k], element), (Element{row, k})) << row << ", " << k;
    }
  }
}

TEST(Fragments, AofEightDeepProductsIsTheLeftHalf) {
  for (int row = 0; row < 16; ++row) {
    for (int k = 0; k < 8; ++k) {
      const int element = (row < 8 ? kUpperRowOfA : kLowerRowOfA)[k];
      ASSERT_LT(element, 4);
      EXPECT_EQ(fragment_a(kLanesOfA[row][k], element), (Element{row, k}));
    }
  }
}

TEST(Fragments, B) {
  for (int k = 0; k < 16; ++k) {
    for (int column = 0; column < 8; ++column) {
      EXPECT_EQ(fragment_b(kLanesOfB[k][column], kElementOfRowOfB[k]), (Element{k, column}))
          << k << ", " << column;
    }
  }
}

TEST(Fragments, C) {
  for (int row = 0; row < 16; ++row) {
    for (int column = 0; column < 8; ++column) {
      const int element = (row < 8 ? kUpperRowOfC : kLowerRowOfC)[column];
      EXPECT_EQ(fragment_c(kLanesOfC[row][column], element), (Element{row, column}))
          << row << ", " << column;
    }
  }
}

TEST(Fragments, LoadedMatrix) {
  for (int row = 0; row < 8; ++row) {
    for (int column = 0; column < 8; ++column) {
      const int lane = kLanesOfLoad[row][column], half = kHalfOfLoad[column];
      EXPECT_EQ(fragment_of_load(lane, half, false), (Element{row, column}));
      EXPECT_EQ(fragment_of_load(lane, half, true), (Element{column, row}));
    }
  }
}

}  // namespace
}  // namespace gatefold::ptx
