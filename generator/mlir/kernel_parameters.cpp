#include "generator/mlir/kernel_parameters.h"

namespace gatefold {
namespace {

using Parameters = std::vector<KernelParameter>;

KernelParameter pointer(const char* name) { return {name, true}; }
KernelParameter number(const char* name) { return {name, false}; }

void append(Parameters& to, const Parameters& more) {
  to.insert(to.end(), more.begin(), more.end());
}

/// What finished sums of the down projection become.
void append_output(Parameters& to, const FfnSpec& ffn) {
  if (ffn.bias) to.push_back(pointer("down_bias"));
  if (ffn.residual) append(to, {pointer("residual"), number("residual_stride")});
  append(to, {pointer("y"), number("y_stride"), number("d_model")});
}

}  // namespace

Parameters hidden_parameters(const FfnSpec& ffn) {
  const bool gated = ffn.variant.gated;
  Parameters p = {pointer("x"), number("x_stride")};
  if (gated) p.push_back(pointer("gate"));
  p.push_back(pointer("up"));
  if (ffn.bias && gated) p.push_back(pointer("gate_bias"));
  if (ffn.bias) p.push_back(pointer("up_bias"));
  append(p, {pointer("hidden"), number("rows"), number("words"), number("hidden_columns"),
             number("d_ff")});
  return p;
}

Parameters down_parameters(const FfnSpec& ffn, bool split) {
  Parameters p = {pointer("hidden"), number("hidden_columns"), pointer("down"),
                  number("rows"),    number("words"),          number("columns")};
  if (split) {
    p.push_back(pointer("partial"));
  } else {
    append_output(p, ffn);
  }
  return p;
}

Parameters sum_parameters(const FfnSpec& ffn) {
  Parameters p = {pointer("partial"), number("rows"), number("columns")};
  append_output(p, ffn);
  return p;
}

}  // namespace gatefold
