#include "accuracy/loaded_library.h"

#include <algorithm>

#include "accuracy/agreement.h"
#include "accuracy/ffn_data.h"
#include "accuracy/kernel_list.h"
#include "runtime/select.h"
#include "runtime/threads.h"
#include "spec/error.h"

namespace gatefold {
namespace {

/// A name that this program does not know is the file's fault, not the command line's.
FfnSpec described_by(const gf_kernel_table& table, const std::string& file) {
  try {
    FfnSpec ffn;
    ffn.variant = variant_named(table.variant);
    ffn.variant.slope = table.slope;
    ffn.variant.alpha = table.alpha;
    ffn.variant.limit = table.limit;
    ffn.variant.up_offset = table.up_offset;
    ffn.dtype = dtype_named(table.dtype);
    set_act_dtype(ffn, dtype_named(table.act_dtype), "act_dtype");
    set_accumulate(ffn, dtype_named(table.accumulate), "accumulate");
    ffn.shape = {table.d_model, table.d_ff};
    ffn.bias = table.has_bias != 0;
    ffn.residual = table.has_residual != 0;
    return ffn;
  } catch (const Error& error) {
    fail(file + ": " + error.what());
  }
}

/// `isa` must outlive what is returned.
gf_options block_options(int threads, const std::string& isa) {
  return {.struct_size = sizeof(gf_options),
          .threads = threads,
          .isa = isa.empty() ? nullptr : isa.c_str(),
          .parallel_for = nullptr,
          .parallel_for_context = nullptr,
          .cuda_device = 0,
          .reserved = 0};
}

void check_architecture(const Manifest& manifest) {
  if (manifest.arch == host_arch()) return;
  fail_unavailable(manifest.path.string() + ": the library's kernels are for " +
                   info(manifest.arch).name + ", this machine is " + info(host_arch()).name);
}

}  // namespace

void require_ok(gf_status status, const std::string& context) {
  if (status == GF_OK) return;
  const std::string said = gf_last_error(), named = context + ": ";
  // What opens a file names it.
  const std::string message = said.find(named) == std::string::npos ? named + said : said;
  if (status == GF_UNAVAILABLE) fail_unavailable(message);
  fail(message);
}

void check_isa_name(const std::string& isa, const char* flag) {
  if (isa.empty() || isa == "host" || isa == "cuda") return;
  try {
    target_named(isa);
  } catch (const Error& error) {
    fail_usage(std::string(flag) + ": " + error.what());
  }
}

int threads_in_use(int wanted) {
  int threads = 0;
  if (resolve_threads(wanted, &threads) != GF_OK) fail_usage(gf_last_error());
  return threads;
}

LoadedLibrary::LoadedLibrary(const std::filesystem::path& path) : manifest_(read_manifest(path)) {
  check_architecture(manifest_);
  check_shared_object(manifest_);
  const std::string file = manifest_.shared_object.string();
  gf_library* library = nullptr;
  require_ok(gf_library_open(file.c_str(), &library), file);
  library_.reset(library);
  ffn_ = described_by(*gf_library_table(library), file);
  check_agreement(manifest_, *gf_library_table(library), ffn_);
}

std::vector<const gf_kernel*> LoadedLibrary::kernels(const std::string& target) const {
  std::vector<const gf_kernel*> found = all_kernels(*gf_library_table(library_.get()));
  std::erase_if(found, [&](const gf_kernel* kernel) { return target != kernel->target; });
  return found;
}

const gf_kernel& LoadedLibrary::kernel_for(const std::string& target, int64_t rows,
                                           int threads) const {
  const std::vector<BucketChoice> buckets =
      choose_kernels(*gf_library_table(library_.get()), target.c_str(), threads);
  if (buckets.empty()) fail(manifest_.path.string() + ": no kernels for " + target);
  const auto nearer = [&](const BucketChoice& a, const BucketChoice& b) {
    return distance_to_bucket(a.rows_min, a.rows_max, rows) <
           distance_to_bucket(b.rows_min, b.rows_max, rows);
  };
  return *std::min_element(buckets.begin(), buckets.end(), nearer)->kernel;
}

std::vector<std::string> LoadedLibrary::targets() const {
  std::vector<std::string> names;
  for (const gf_kernel* kernel : all_kernels(*gf_library_table(library_.get()))) {
    const std::string name = kernel->target;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

std::string LoadedLibrary::target_in_use(const std::string& isa) const {
  TargetChoice choice;
  require_ok(choose_target(*gf_library_table(library_.get()), isa.c_str(), &choice),
             manifest_.path.string());
  return choice.target;
}

gf_ffn_desc LoadedLibrary::description(Shape shape) const {
  return {.struct_size = sizeof(gf_ffn_desc),
          .d_model = shape.d_model,
          .d_ff = shape.d_ff,
          .variant = ffn_.variant.name.c_str()};
}

void LoadedLibrary::require(gf_status status) const {
  require_ok(status, manifest_.path.filename().string());
}

Block LoadedLibrary::create(Shape shape, const gf_ffn_weights& weights, int threads,
                            const std::string& isa) const {
  const gf_ffn_desc desc = description(shape);
  const gf_options options = block_options(threads, isa);
  gf_ffn* ffn = nullptr;
  require(gf_ffn_create(library_.get(), &desc, &weights, &options, &ffn));
  return Block(ffn);
}

int64_t LoadedLibrary::packed_bytes(Shape shape, int threads, const std::string& isa) const {
  const gf_ffn_desc desc = description(shape);
  const gf_options options = block_options(threads, isa);
  int64_t bytes = 0;
  require(gf_ffn_packed_bytes(library_.get(), &desc, &options, &bytes));
  return bytes;
}

void LoadedLibrary::pack(Shape shape, const gf_ffn_weights& weights, int threads,
                         const std::string& isa, void* packed, int64_t bytes) const {
  const gf_ffn_desc desc = description(shape);
  const gf_options options = block_options(threads, isa);
  require(gf_ffn_pack(library_.get(), &desc, &weights, &options, packed, bytes));
}

Block LoadedLibrary::create_packed(Shape shape, const void* packed, int64_t bytes, int threads,
                                   const std::string& isa) const {
  const gf_ffn_desc desc = description(shape);
  const gf_options options = block_options(threads, isa);
  gf_ffn* ffn = nullptr;
  require(gf_ffn_create_packed(library_.get(), &desc, packed, bytes, &options, &ffn));
  return Block(ffn);
}

gf_rows dense_rows(void* data, DType dtype, int64_t rows, int64_t cols) {
  return {.struct_size = sizeof(gf_rows),
          .dtype = runtime_dtype(dtype),
          .data = data,
          .rows = rows,
          .cols = cols,
          .row_stride = 0};
}

gf_report report_of(const gf_ffn* ffn) {
  gf_report report{};
  report.struct_size = sizeof report;
  require_ok(gf_ffn_report(ffn, &report), "gf_ffn_report");
  return report;
}

}  // namespace gatefold
