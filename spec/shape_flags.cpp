#include "spec/shape_flags.h"

#include "spec/error.h"
#include "spec/names.h"

namespace gatefold {

Shape parse_shape(const std::string& text, const char* flag) {
  const std::string where = std::string(flag) + ": '" + text + "', wanted ";
  const size_t x = text.find('x');
  if (x == std::string::npos || text.find(',') != std::string::npos) {
    fail_usage(where + "D_MODELxD_FF such as 384x1536");
  }
  const Shape shape{parse_dimension(text.substr(0, x), flag),
                    parse_dimension(text.substr(x + 1), flag)};
  if (!shape.fixed()) fail_usage(where + "two numbers");
  return shape;
}

std::vector<Shape> parse_shapes(const std::string& list) {
  std::vector<Shape> shapes;
  for (const std::string& word : split_list(list)) shapes.push_back(parse_shape(word, "--shapes"));
  return shapes;
}

FfnSpec with_shape(FfnSpec ffn, const std::string& shape) {
  const Shape open = ffn.shape;
  if (shape.empty()) {
    if (open.fixed()) return ffn;
    fail_usage("--shape: missing, the library leaves sizes open (" + open.text() + ")");
  }
  const Shape wanted = parse_shape(shape, "--shape");
  if (ffn.shape.d_model == Shape::kAny) ffn.shape.d_model = wanted.d_model;
  if (ffn.shape.d_ff == Shape::kAny) ffn.shape.d_ff = wanted.d_ff;
  if (ffn.shape != wanted) {
    fail_usage("--shape: '" + shape + "', but the library is for " + open.text());
  }
  return ffn;
}

}  // namespace gatefold
