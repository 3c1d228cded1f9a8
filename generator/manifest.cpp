#include <nlohmann/json.hpp>

#include "formats/json_text.h"
#include "formats/mapped_file.h"
#include "generator/library.h"
#include "spec/byte_hash.h"

namespace gatefold {
namespace {

using nlohmann::json;

/// One file's fields, each read with its wanted kind named in the error.
class Reader {
 public:
  Reader(const json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object.is_object()) fail(where_ + ": found " + object.type_name() + ", wanted an object");
  }
  const json& field(const char* key) const {
    const auto found = object_.find(key);
    if (found == object_.end()) fail(where_ + ": field '" + key + "' is missing");
    return *found;
  }
  std::string text(const char* key) const {
    const json& value = field(key);
    if (!value.is_string()) wrong(key, value, "a string");
    return value.get<std::string>();
  }
  int64_t number(const char* key) const {
    const json& value = field(key);
    if (!value.is_number_integer() || value.get<int64_t>() < 0) wrong(key, value, "a number >= 0");
    return value.get<int64_t>();
  }
  float real(const char* key) const {
    const json& value = field(key);
    if (!value.is_number()) wrong(key, value, "a number");
    return value.get<float>();
  }
  bool flag(const char* key) const {
    const json& value = field(key);
    if (!value.is_boolean()) wrong(key, value, "true or false");
    return value.get<bool>();
  }
  [[noreturn]] void wrong(const char* key, const json& value, const std::string& wanted) const {
    fail(where_ + ": field '" + key + "' is " + value.dump().substr(0, 60) + ", wanted " + wanted);
  }

 private:
  const json& object_;
  std::string where_;
};

std::string_view text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

json parse_file(const std::filesystem::path& path) {
  return parse_json<json>(text_of(MappedFile::open(path)), path.string(),
                          "the NAME.json of a generated library");
}

Manifest::Kernel read_kernel(const json& value, const std::string& where) {
  const Reader in(value, where);
  Manifest::Kernel k;
  k.name = in.text("name");
  k.target = in.text("target");
  k.packing = in.text("packing");
  k.point = in.text("point");
  k.origin = in.text("origin");
  if (value.contains("match")) k.match = in.text("match");
  k.rows_min = in.number("rows_min");
  k.rows_max = in.field("rows_max").is_null() ? RowBucket::kOpen : in.number("rows_max");
  return k;
}

/// Manifests of before there were several have no such field, and kernels for x86_64.
void check_x86(const Manifest& manifest, const std::string& where) {
  for (const TargetInfo& target : all_targets()) {
    for (const Manifest::Kernel& kernel : manifest.kernels) {
      if (kernel.target != target.name || target.arch == Arch::x86_64) continue;
      fail(where + ": field 'architecture' is missing, wanted \"" + info(target.arch).name +
           "\" for a kernel for " + target.name);
    }
  }
}

Arch read_arch(const Reader& in, const json& root) {
  if (!root.contains("architecture")) return Arch::x86_64;
  std::string wanted;
  for (const ArchInfo& arch : all_archs()) {
    if (in.text("architecture") == arch.name) return arch.arch;
    wanted += (wanted.empty() ? "" : " or ") + std::string(arch.name);
  }
  in.wrong("architecture", root["architecture"], wanted);
}

FfnSpec read_description(const Reader& in, const json& root, const std::string& where) {
  FfnSpec ffn;
  try {
    ffn.variant = variant_named(in.text("variant"));
    ffn.dtype = dtype_named(in.text("dtype"));
    set_act_dtype(ffn, dtype_named(in.text("act_dtype")), "act_dtype");
    // Manifests of before there was a choice have no such field.
    if (root.contains("accumulate"))
      set_accumulate(ffn, dtype_named(in.text("accumulate")), "accumulate");
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::usage) throw;
    fail(where + ": " + e.what());
  }
  const Reader parameters(in.field("parameters"), where + ": parameters");
  ffn.variant.slope = parameters.real("slope");
  ffn.variant.alpha = parameters.real("alpha");
  ffn.variant.limit = parameters.real("limit");
  ffn.variant.up_offset = parameters.real("up_offset");
  ffn.shape = {in.number("d_model"), in.number("d_ff")};
  for (const char* key : {"d_model", "d_ff"}) {
    if (in.number(key) > kMaxDimension) {
      in.wrong(key, root[key], "at most " + std::to_string(kMaxDimension));
    }
  }
  ffn.bias = in.flag("bias");
  // Manifests of before there were residuals have no such field.
  ffn.residual = root.contains("residual") && in.flag("residual");
  return ffn;
}

}  // namespace

Manifest read_manifest(const std::filesystem::path& path) {
  const json root = parse_file(path);
  const std::string where = path.string();
  const Reader in(root, where);
  if (in.text("format") != "gatefold-library") {
    in.wrong("format", root["format"], "\"gatefold-library\"");
  }
  if (in.number("version") != 1)
    in.wrong("version", root["version"], "1 (made by a newer gatefold?)");
  Manifest out;
  out.path = path;
  out.name = in.text("library");
  const std::string so = in.text("so");
  if (so != "lib" + out.name + ".so" || so.find('/') != std::string::npos) {
    in.wrong("so", root["so"], "\"lib" + out.name + ".so\"");
  }
  out.shared_object = path.parent_path() / so;
  if (root.contains("so_hash")) {
    out.so_bytes = in.number("so_bytes");
    out.so_hash = in.text("so_hash");
  }
  out.arch = read_arch(in, root);
  out.ffn = read_description(in, root, where);
  const json& kernels = in.field("kernels");
  if (!kernels.is_array() || kernels.empty()) in.wrong("kernels", kernels, "a list of kernels");
  for (size_t i = 0; i < kernels.size(); ++i) {
    out.kernels.push_back(read_kernel(kernels[i], where + ": kernels[" + std::to_string(i) + "]"));
  }
  if (!root.contains("architecture")) check_x86(out, where);
  return out;
}

void check_shared_object(const Manifest& manifest) {
  if (!manifest.so_bytes) return;
  const MappedFile file = MappedFile::open(manifest.shared_object);
  const auto bytes = static_cast<int64_t>(file.bytes().size());
  const std::string hash = hash_of(text_of(file));
  if (bytes == *manifest.so_bytes && hash == manifest.so_hash) return;
  fail(manifest.shared_object.string() + ": " + std::to_string(bytes) + " bytes of hash " + hash +
       ", wanted the " + std::to_string(*manifest.so_bytes) + " of hash " + manifest.so_hash +
       " that " + manifest.path.filename().string() + " was written for");
}

}  // namespace gatefold
