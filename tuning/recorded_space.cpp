#include "tuning/recorded_space.h"

#include <charconv>
#include <cmath>

#include "formats/atomic_file.h"
#include "formats/gzip.h"
#include "formats/mapped_file.h"
#include "schedules/space.h"
#include "tuning/store_rows.h"

namespace gatefold {
namespace {

// A space of 20,000 points is about 2 MB.
constexpr size_t kLargestCsv = size_t{64} << 20;

/// As short as it reads back, with a point in every locale.
std::string number(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof(text), value).ptr};
}

std::string header(const RecordedSpace& s) {
  const FfnSpec& ffn = s.key.ffn;
  const std::vector<std::pair<const char*, std::string>> lines = {
      {"variant", ffn.variant.name},
      {"parameters", parameters_text(ffn.variant)},
      {"d_model", std::to_string(ffn.shape.d_model)},
      {"d_ff", std::to_string(ffn.shape.d_ff)},
      {"dtype", ffn.dtypes()},
      {"bias", std::to_string(ffn.bias)},
      {"residual", std::to_string(ffn.residual)},
      {"target", info(s.key.target).name},
      {"rows", std::to_string(s.rows)},
      {"threads", std::to_string(s.key.threads)},
      {"cpu", s.key.cpu},
      {"l1d", std::to_string(s.caches.l1d)},
      {"l2", std::to_string(s.caches.l2)},
      {"l3", std::to_string(s.caches.l3)},
      {"halide_version", s.key.halide_version},
      {"generator_version", std::to_string(s.key.generator_version)},
  };
  std::string text = "# gatefold-space 1\n";
  for (const auto& [name, value] : lines) text += std::string("# ") + name + ": " + value + "\n";
  return text;
}

}  // namespace

SearchSpace RecordedSpace::search_space() const {
  SearchSpace space;
  space.ffn = key.ffn;
  space.target = key.target;
  space.cpu = caches;
  space.buckets = row_buckets({rows});
  space.packings = legal_packings(key.ffn, key.target);
  return space;
}

std::string recorded_space_csv(const RecordedSpace& space) {
  std::string text = header(space) + "packing,point,kind,ms\n";
  for (const RecordedPoint& p : space.points) {
    text += p.packing.text() + "," + p.point.text() + "," + name(p.kind) + ",";
    if (p.kind == TrialKind::ok) text += number(p.ms);
    text += "\n";
  }
  return text;
}

void write_recorded_space(const std::filesystem::path& path, const RecordedSpace& space) {
  write_file_atomically(path, std::string_view(gzip(recorded_space_csv(space))));
}

RecordedSpace read_recorded_space(const std::filesystem::path& path) {
  const MappedFile file = MappedFile::open(path);
  const std::string_view bytes(reinterpret_cast<const char*>(file.bytes().data()),
                               file.bytes().size());
  return parse_recorded_space(gunzip(bytes, path.string(), kLargestCsv), path.string());
}

}  // namespace gatefold
