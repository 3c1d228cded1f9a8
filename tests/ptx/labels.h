#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/ptx/module.h"
#include "tests/ptx/token_reader.h"

namespace gatefold::ptx {

/// Labels are known in the block of braces that holds them and in those inside it.
class Labels {
 public:
  void open_scope() {
    parents_.push_back(current_);
    current_ = static_cast<int>(parents_.size()) - 1;
  }
  void close_scope() { current_ = parents_[current_]; }

  void define(const Token& name, size_t index, const TokenReader& reader) {
    if (!places_.emplace(std::pair(current_, std::string(name.text)), index).second) {
      reader.refuse(name.line, "the label stands here a second time");
    }
  }
  void use(const Token& name, size_t instruction) {
    uses_.push_back({name, instruction, current_});
  }

  /// Gives every branch the index of its target.
  void resolve(std::vector<Instruction>& code, const TokenReader& reader) const {
    for (const Use& use : uses_) {
      int scope = use.scope;
      while (scope >= 0 && !places_.contains({scope, std::string(use.name.text)})) {
        scope = parents_[scope];
      }
      if (scope < 0) reader.refuse(use.name, "a label of this kernel");
      code[use.instruction].operands[0].offset =
          static_cast<int64_t>(places_.at({scope, std::string(use.name.text)}));
    }
  }

 private:
  struct Use {
    Token name;
    size_t instruction;
    int scope;
  };
  std::vector<int> parents_;
  int current_ = -1;
  std::map<std::pair<int, std::string>, size_t> places_;
  std::vector<Use> uses_;
};

}  // namespace gatefold::ptx
