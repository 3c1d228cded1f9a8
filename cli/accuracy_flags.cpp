#include "cli/accuracy_flags.h"

#include "spec/shape_flags.h"

namespace gatefold::cli {

void add_accuracy_flags(CLI::App& command, AccuracyFlags& flags) {
  command.add_option("--shapes", flags.shapes,
                     "D_MODELxD_FF[,…] for sizes that the library leaves open "
                     "(default: 1x37,37x1,85x341,512x1365,384x1536)");
  command.add_option("--rows", flags.rows,
                     "row counts beside the edges of the buckets (default: 0,1,2,3,5,17,64)");
  command.add_option(
      "--target", flags.target,
      "only this target, or host: the best of them (default: all that this CPU runs)");
  command.add_flag("--json", flags.json, "one JSON object on stdout");
}

AccuracyOptions accuracy_options(const AccuracyFlags& flags) {
  AccuracyOptions options;
  check_isa_name(flags.target, "--target");
  options.target = flags.target;
  if (!flags.shapes.empty()) options.shapes = parse_shapes(flags.shapes);
  if (!flags.rows.empty()) options.rows = parse_rows(flags.rows, "--rows", 0);
  return options;
}

}  // namespace gatefold::cli
