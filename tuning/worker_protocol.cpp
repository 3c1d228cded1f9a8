#include "tuning/worker_protocol.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "spec/error.h"

namespace gatefold {
namespace {

using Json = nlohmann::json;

// JSON has no NaN: an unknown number is null.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
double number(const Json& json) { return json.is_null() ? kUnknown : json.get<double>(); }

Json to_json(const TrialResult& r) {
  Json samples = Json::array();
  for (double ms : r.samples) samples.push_back(number(ms));
  return {{"kind", name(r.kind)},
          {"message", r.message},
          {"samples", samples},
          {"disturbed", r.disturbed},
          {"median_ms", number(r.median_ms)},
          {"ratio", number(r.ratio)},
          {"max_abs", number(r.error.max_abs)},
          {"rel_l2", number(r.error.rel_l2)},
          {"scaled", number(r.error.scaled)}};
}

TrialResult result_from(const Json& j) {
  TrialResult r;
  r.kind = trial_kind_named(j.at("kind").get<std::string>());
  r.message = j.at("message").get<std::string>();
  for (const Json& ms : j.at("samples")) r.samples.push_back(number(ms));
  r.disturbed = j.at("disturbed").get<int>();
  r.median_ms = number(j.at("median_ms"));
  r.ratio = number(j.at("ratio"));
  r.error = {number(j.at("max_abs")), number(j.at("rel_l2")), number(j.at("scaled"))};
  return r;
}

MeasureReply reply_from(const Json& j) {
  MeasureReply reply;
  for (const Json& c : j.at("candidates")) reply.candidates.push_back(result_from(c));
  reply.copies = j.at("copies").get<int>();
  reply.cold = j.at("cold").get<bool>();
  return reply;
}

MeasureRequest request_from(const Json& j) {
  MeasureRequest r;
  r.libraries = j.at("libraries").get<std::vector<std::string>>();
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

WorkerLine worker_line_from(const Json& j) {
  if (j.contains("event")) {
    const std::string event = j.at("event").get<std::string>();
    if (event == "round") return {WorkerLine::Kind::round, -1, {}, {}};
    const auto kind = event == "signal" ? WorkerLine::Kind::signal : WorkerLine::Kind::candidate;
    return {kind, j.at("index").get<int>(), {}, {}};
  }
  if (j.at("reply") == "error") {
    return {WorkerLine::Kind::error, -1, {}, j.at("message").get<std::string>()};
  }
  return {WorkerLine::Kind::reply, -1, reply_from(j), {}};
}

}  // namespace

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

std::string request_line(const MeasureRequest& r) {
  return Json{{"kind", r.timed ? "measure" : "check"},
              {"libraries", r.libraries},
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
              {"drop_ratio", r.drop_ratio}}
      .dump(-1, ' ', true, Json::error_handler_t::replace);
}

std::string reply_line(const MeasureReply& reply) {
  Json candidates = Json::array();
  for (const TrialResult& r : reply.candidates) candidates.push_back(to_json(r));
  return Json{{"reply", "measure"},
              {"candidates", candidates},
              {"copies", reply.copies},
              {"cold", reply.cold}}
      .dump(-1, ' ', true, Json::error_handler_t::replace);
}

std::string error_line(const std::string& message) {
  return Json{{"reply", "error"}, {"message", message}}.dump(-1, ' ', true,
                                                             Json::error_handler_t::replace);
}

std::optional<WorkerLine> parse_worker_line(const std::string& line) {
  try {
    return worker_line_from(Json::parse(line));
  } catch (const Json::exception&) {
    return std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

WorkerRequest parse_request_line(const std::string& line) {
  try {
    const Json json = Json::parse(line);
    const std::string kind = json.at("kind").get<std::string>();
    if (kind == "quit") return {};
    if (kind != "measure" && kind != "check") {
      fail("worker request: kind '" + kind + "', wanted measure, check or quit");
    }
    return {WorkerRequest::Kind::measure, request_from(json)};
  } catch (const Json::exception& e) {
    fail(std::string("worker request: ") + e.what());
  }
}

}  // namespace gatefold
