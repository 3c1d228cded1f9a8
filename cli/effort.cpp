#include "cli/effort.h"

#include <vector>

#include "spec/names.h"

namespace gatefold::cli {
namespace {

struct Effort {
  std::string name;
  int trials;
};

}  // namespace

int trials_of_effort(const std::string& name) {
  static const std::vector<Effort> efforts = {{"quick", 32}, {"standard", 128}, {"deep", 512}};
  return find_named(efforts, name, "effort").trials;
}

}  // namespace gatefold::cli
