#include "generator/numerics.h"

#include <initializer_list>

namespace gatefold {
namespace {

using namespace Halide;

constexpr float kLog2E = 1.44269504f;
// ln 2 in two parts; k * kLn2High is exact, as the high part has 9 significant bits.
constexpr float kLn2High = 0.693359375f;
constexpr float kLn2Low = -2.12194440e-4f;

/// Strict Horner evaluation, lowest coefficient first.
Expr polynomial(const Expr& x, std::initializer_list<float> coefficients) {
  Expr sum;
  for (auto c = std::rbegin(coefficients); c != std::rend(coefficients); ++c) {
    sum = sum.defined() ? sum * x + *c : Expr(*c);
  }
  return sum;
}

/// 2^k for -126 <= k <= 127, built from its exponent bits.
Expr power_of_two(const Expr& k) { return reinterpret<float>((k + 127) << 23); }

Expr is_nan_bits(const Expr& bits) { return (bits & Expr(0x7fffffffu)) > Expr(0x7f800000u); }

/// e^(hi + lo) without the check for NaN.
Expr exp_finite(const Expr& hi, const Expr& lo) {
  const Expr x = select(hi < -104.0f, -104.0f, hi);  // e^-104 rounds to 0
  const Expr k = cast<int>(x * kLog2E + select(x < 0.0f, -0.5f, 0.5f));
  const Expr kf = cast<float>(k);
  Expr r = (x - kf * kLn2High) - kf * kLn2Low;
  if (lo.defined()) r = r + lo;
  // Minimax of (e^r - 1 - r) / r^2 on |r| <= 0.35 (relative error 1.3e-7 of that term).
  const Expr p = polynomial(r, {0.5f, 0.16666573f, 0.04166686f, 0.00836374f, 0.00139015f});
  // Two factors of half the exponent each, so that results below 2^-126 underflow gradually.
  const Expr half = k >> 1;
  return (1.0f + (r + r * r * p)) * power_of_two(half) * power_of_two(k - half);
}

/// Phi(-a) for a >= 0, as e^(-a^2/2) times a polynomial in 1 / (1 + 0.35 a).
Expr normal_upper_tail(const Expr& a_in) {
  const Expr a = select(a_in > 15.0f, 15.0f, a_in);  // Phi(-15) is 0 in f32
  // a^2 = high^2 + (a - high)(a + high); high has 12 bits, so its square is exact.
  const Expr high = reinterpret<float>(reinterpret<uint32_t>(a) & Expr(0xfffff000u));
  const Expr gauss = exp_finite(high * high * -0.5f, (a - high) * (a + high) * -0.5f);
  const Expr t = 1.0f / (1.0f + 0.35f * a);
  // Minimax of Phi(-a) e^(a^2/2) / t on 0 <= a <= 14.6 (relative error 3.2e-8).
  const Expr q =
      polynomial(t - 0.6f, {0.29046059f, 0.40197467f, 0.30356243f, 0.04452375f, -0.10243051f,
                            -0.02552081f, 0.05517983f, 0.00407331f, -0.02915949f});
  return gauss * (q * t);
}

Expr magnitude(const Expr& x) {
  return reinterpret<float>(reinterpret<uint32_t>(x) & Expr(0x7fffffffu));
}

Expr with_sign_of(const Expr& x, const Expr& magnitude_value) {
  return reinterpret<float>(reinterpret<uint32_t>(magnitude_value) |
                            (reinterpret<uint32_t>(x) & Expr(0x80000000u)));
}

}  // namespace

Expr keep_nan(const Expr& x, const Expr& value) {
  return select(is_nan_bits(reinterpret<uint32_t>(x)), x, value);
}

Expr exp_f32(const Expr& hi, const Expr& lo) {
  return strict_float(keep_nan(hi, exp_finite(hi, lo)));
}

Expr sigmoid_f32(const Expr& x) {
  const Expr e = exp_finite(-magnitude(x), Expr());
  return strict_float(keep_nan(x, select(x < 0.0f, e, 1.0f) / (1.0f + e)));
}

Expr normal_cdf_f32(const Expr& x) {
  const Expr tail = normal_upper_tail(magnitude(x));
  return strict_float(keep_nan(x, select(x < 0.0f, tail, 1.0f - tail)));
}

Expr erf_f32(const Expr& x) {
  const Expr a = magnitude(x), z = x * x;
  // Minimax of erf(x) / x on |x| <= 1 (relative error 1.2e-9).
  const Expr small = a * polynomial(z, {1.12837911f, -0.37612626f, 0.11283585f, -0.02685381f,
                                        0.00518833f, -0.00080102f, 7.8538826e-5f});
  // erf(a) = 1 - 2 Phi(-a sqrt 2), where the rounding of a sqrt 2 is far below the result's.
  const Expr large = 1.0f - 2.0f * normal_upper_tail(a * 1.41421356f);
  return strict_float(keep_nan(x, with_sign_of(x, select(a < 1.0f, small, large))));
}

Expr tanh_f32(const Expr& x) {
  const Expr a = magnitude(x), z = x * x;
  // Minimax of (tanh(x) / x - 1) / x^2 on |x| <= 0.7 (relative error 1.7e-8).
  const Expr small = a + a * (z * polynomial(z, {-0.33333331f, 0.13333251f, -0.05394818f,
                                                 0.02168947f, -0.00811366f, 0.00206075f}));
  const Expr e = exp_finite(-2.0f * a, Expr());
  const Expr large = (1.0f - e) / (1.0f + e);
  return strict_float(keep_nan(x, with_sign_of(x, select(a < 0.625f, small, large))));
}

Expr bf16_bits(const Expr& x) {
  const Expr bits = reinterpret<uint32_t>(x);
  const Expr rounded = bits + Expr(0x7fffu) + ((bits >> 16) & Expr(1u));
  const Expr quiet_nan = bits | Expr(0x00400000u);
  return cast<uint16_t>(select(is_nan_bits(bits), quiet_nan, rounded) >> 16);
}

Expr f16_bits(const Expr& x) {
  const Expr bits = reinterpret<uint32_t>(x), sign = (bits >> 16) & Expr(0x8000u);
  const Expr size = bits & Expr(0x7fffffffu);
  // Exponents differ by 112; half of the last place that stays, and ties to even.
  const Expr normal = (size - Expr(112u << 23) + Expr(0xfffu) + ((size >> 13) & Expr(1u))) >> 13;
  // Beside 0.5 a float has 2^-24 as its last place, and so have f16's subnormals: the addition
  // rounds.
  const Expr small = reinterpret<uint32_t>(reinterpret<float>(size) + 0.5f) - Expr(0x3f000000u);
  const Expr finite = select(size < Expr(0x38800000u), small, normal);
  const Expr large = select(size >= Expr(0x477ff000u), Expr(0x7c00u), finite);
  const Expr any = select(is_nan_bits(bits), Expr(0x7e00u), large);
  return strict_float(cast<uint16_t>(any | sign));
}

Expr f32_from_f16_bits(const Expr& bits) {
  const Expr word = cast<uint32_t>(bits), size = word & Expr(0x7fffu);
  const Expr normal = (size << 13) + Expr(112u << 23);
  const Expr special = (size << 13) + Expr(224u << 23);  // inf and NaN: the largest exponent
  const Expr small = reinterpret<uint32_t>(cast<float>(cast<int32_t>(size)) * 0x1p-24f);
  const Expr any = select(size < Expr(0x400u), small, size < Expr(0x7c00u), normal, special);
  return strict_float(reinterpret<float>(any | ((word & Expr(0x8000u)) << 16)));
}

Expr f32_from_bf16_bits(const Expr& bits) { return reinterpret<float>(cast<uint32_t>(bits) << 16); }

}  // namespace gatefold
