#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "accuracy/accuracy.h"

namespace gatefold::cli {

/// The flags of what checks libraries.
struct AccuracyFlags {
  std::string shapes, rows, target;
  bool json = false;
};

void add_accuracy_flags(CLI::App& command, AccuracyFlags& flags);

/// What they ask for; usage errors name the flag.
AccuracyOptions accuracy_options(const AccuracyFlags& flags);

}  // namespace gatefold::cli
