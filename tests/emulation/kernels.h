#pragma once

#include <cstdint>

/// AVX-512 code for the tests to emulate, in a library of its own that is compiled for a CPU with
/// everything the targets use. Each result is a group of lanes in `out`.
extern "C" {
// kernels_float.cpp; arrays of 16 unless said otherwise
void k_fma(float* out, const float* a, const float* b, float s);   // 32 results
void k_arithmetic(float* out, const float* a, const float* b);     // 8 groups
void k_narrow(float* out, const float* a, const float* b);         // 5 groups
void k_flush_to_zero(float* out, const float* a, const float* b);  // sets MXCSR itself
float k_reduce(const float* a);
void k_gather(float* out, const float* base, const int* index, unsigned mask);
void k_masked(float* out, const float* in, unsigned mask);
void k_doubles(double* sum, int64_t* square, const double* a, const int64_t* b);  // 8 lanes
/// c[6][64] += a[6][depth] * b[depth][64]
void k_gemm_f32(float* c, const float* a, const float* b, int depth);

// kernels_bf16.cpp
void k_dot(float* sums, const uint32_t* a, const uint32_t* b, unsigned mask);  // 5 groups
void k_convert(uint16_t* out, const float* high, const float* low, unsigned mask);

// kernels_integer.cpp
void k_permute(int* out, const int* a, const int* b, const int* index);
void k_bytes(uint8_t* out, const uint8_t* a, const uint8_t* b);
void k_ternary(int* out, const int* a);
void k_upper_half(int* out, const int* a);
void k_dot_bytes(int* out, const uint8_t* a, const int8_t* b);
void k_leading_zeros(int* out, const int* a);
void k_popcount(int* words, uint8_t* bytes, const int* a, const uint8_t* b);
void k_permute_bytes(uint8_t* out, const uint8_t* a, const uint8_t* index);
void k_compress_words(uint16_t* out, const uint16_t* a, unsigned mask);
void k_multiply52(uint64_t* out, const uint64_t* a, const uint64_t* b);
void k_galois(uint8_t* out, const uint8_t* a, const uint8_t* b);

// kernels_control.cpp
void k_callback(float* out, const float* a, void (*native)());
void k_illegal();
/// Two threads that wait for each other by spinning, with live zmm and mask registers.
void k_spin(volatile int* mine, volatile int* other, int rounds, const float* a, float* out);
}
