#include "tuning/worker_protocol.h"

#include <nlohmann/json.hpp>

#include "spec/byte_hash.h"
#include "spec/error.h"
#include "tuning/base64.h"

namespace gatefold {
namespace {

using Json = nlohmann::json;

MeasureRequest measure_from(const Json& j) {
  MeasureRequest r;
  r.libraries = j.at("libraries").get<std::vector<std::string>>();
  r.sent = j.at("sent").get<bool>();
  r.lock = j.at("lock").get<bool>();
  r.memory_bytes = j.at("memory_bytes").get<int64_t>();
  r.ffn = ffn_from_json(j.at("ffn"));
  r.target = target_named(j.at("target").get<std::string>()).target;
  r.rows = j.at("rows").get<int64_t>();
  r.threads = j.at("threads").get<int>();
  r.seed = j.at("seed").get<uint64_t>();
  r.timed = j.at("kind") == "measure";
  r.cold = j.at("cold").get<bool>();
  r.min_rounds = j.at("min_rounds").get<int>();
  r.max_rounds = j.at("max_rounds").get<int>();
  r.budget_ms = j.at("budget_ms").get<double>();
  r.min_sample_ms = j.at("min_sample_ms").get<double>();
  r.drop_ratio = j.at("drop_ratio").get<double>();
  if (r.rows < 1 || r.threads < 1) fail("worker request: rows and threads, wanted 1 or more");
  return r;
}

SentLibrary library_from(const Json& j) {
  SentLibrary library;
  library.name = j.at("name").get<std::string>();
  std::optional<std::string> bytes = from_base64(j.at("data").get<std::string>());
  if (!bytes) fail("worker request: library " + library.name + ": data is not base64");
  // The name becomes a file's, so it is made here; it also tells what was damaged on the way.
  const std::string name = hash_of(*bytes);
  if (name != library.name) {
    fail("worker request: library '" + library.name + "': its bytes are those of " + name);
  }
  library.bytes = std::move(*bytes);
  return library;
}

RoofRequest roof_request_from(const Json& j) {
  RoofRequest r;
  r.target = target_named(j.at("target").get<std::string>()).target;
  r.threads = j.at("threads").get<int>();
  r.lock = j.at("lock").get<bool>();
  if (r.threads < 1) fail("worker request: threads, wanted 1 or more");
  return r;
}

HelloRequest hello_from(const Json& j) {
  HelloRequest hello;
  hello.protocol = j.at("protocol").get<int>();
  return hello;
}

}  // namespace

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

Json to_json(const FfnSpec& f) {
  return {{"variant", f.variant.name},
          {"slope", f.variant.slope},
          {"alpha", f.variant.alpha},
          {"limit", f.variant.limit},
          {"up_offset", f.variant.up_offset},
          {"dtype", f.dtypes()},
          {"d_model", f.shape.d_model},
          {"d_ff", f.shape.d_ff},
          {"bias", f.bias},
          {"residual", f.residual}};
}

FfnSpec ffn_from_json(const Json& j) {
  FfnSpec f;
  f.variant = variant_named(j.at("variant").get<std::string>());
  f.variant.slope = j.at("slope").get<float>();
  f.variant.alpha = j.at("alpha").get<float>();
  f.variant.limit = j.at("limit").get<float>();
  f.variant.up_offset = j.at("up_offset").get<float>();
  set_dtypes(f, j.at("dtype").get<std::string>());
  f.shape = {j.at("d_model").get<int64_t>(), j.at("d_ff").get<int64_t>()};
  f.bias = j.at("bias").get<bool>();
  f.residual = j.at("residual").get<bool>();
  return f;
}

std::string request_line(const HelloRequest& r) {
  return line_of({{"kind", "hello"}, {"protocol", r.protocol}});
}

std::string request_line(const SentLibrary& library) {
  return line_of({{"kind", "library"}, {"name", library.name}, {"data", to_base64(library.bytes)}});
}

std::string request_line(const RoofRequest& r) {
  return line_of({{"kind", "roof"},
                  {"target", info(r.target).name},
                  {"threads", r.threads},
                  {"lock", r.lock}});
}

std::string request_line(const MeasureRequest& r) {
  return line_of({{"kind", r.timed ? "measure" : "check"},
                  {"libraries", r.libraries},
                  {"sent", r.sent},
                  {"lock", r.lock},
                  {"memory_bytes", r.memory_bytes},
                  {"ffn", to_json(r.ffn)},
                  {"target", info(r.target).name},
                  {"rows", r.rows},
                  {"threads", r.threads},
                  {"seed", r.seed},
                  {"cold", r.cold},
                  {"min_rounds", r.min_rounds},
                  {"max_rounds", r.max_rounds},
                  {"budget_ms", r.budget_ms},
                  {"min_sample_ms", r.min_sample_ms},
                  {"drop_ratio", r.drop_ratio}});
}

WorkerRequest parse_request_line(const std::string& line) {
  try {
    const Json json = Json::parse(line);
    const std::string kind = json.at("kind").get<std::string>();
    if (kind == "quit") return {};
    if (kind == "hello") return hello_from(json);
    if (kind == "library") return library_from(json);
    if (kind == "roof") return roof_request_from(json);
    if (kind == "measure" || kind == "check") return measure_from(json);
    fail("worker request: kind '" + kind +
         "', wanted hello, library, roof, measure, check or quit");
  } catch (const Json::exception& e) {
    fail(std::string("worker request: ") + e.what());
  }
}

}  // namespace gatefold
