#include <cmath>
#include <nlohmann/json.hpp>

#include "spec/error.h"
#include "tuning/worker_protocol.h"

namespace gatefold {
namespace {

using Json = nlohmann::json;
using Kind = WorkerLine::Kind;

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

/// A time or a ratio: the store takes no other.
double positive(const Json& json) {
  const double value = number(json);
  if (value <= 0 || std::isinf(value)) fail("worker: a time or ratio that is not above 0");
  return value;
}

TrialResult result_from(const Json& j) {
  TrialResult r;
  r.kind = trial_kind_named(j.at("kind").get<std::string>());
  r.message = j.at("message").get<std::string>();
  for (const Json& ms : j.at("samples")) r.samples.push_back(positive(ms));
  r.disturbed = j.at("disturbed").get<int>();
  r.median_ms = positive(j.at("median_ms"));
  r.ratio = positive(j.at("ratio"));
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

HelloReply hello_from(const Json& j) {
  HelloReply hello;
  hello.protocol = j.at("protocol").get<int>();
  hello.version = j.at("version").get<std::string>();
  // What another protocol says of its machine may not be readable; the number alone refuses it.
  if (hello.protocol == kWorkerProtocol) hello.machine = machine_from_json(j.at("machine"));
  return hello;
}

void read_event(const Json& j, WorkerLine& line) {
  const std::string event = j.at("event").get<std::string>();
  if (event == "round") {
    line.kind = Kind::round;
  } else if (event == "waiting") {
    line.kind = Kind::waiting;
    line.message = j.at("message").get<std::string>();
  } else if (event == "ended") {
    line.kind = Kind::ended;
    line.exit = {j.at("code").get<int>(), j.at("signal").get<int>()};
  } else if (event == "signal" || event == "candidate") {
    line.kind = event == "signal" ? Kind::signal : Kind::candidate;
    line.index = j.at("index").get<int>();
  } else {
    fail("worker: unknown event " + event);
  }
}

void read_reply(const Json& j, WorkerLine& line) {
  const std::string reply = j.at("reply").get<std::string>();
  if (reply == "hello") {
    line.kind = Kind::hello;
    line.hello = hello_from(j);
  } else if (reply == "library") {
    line.kind = Kind::library;
    line.message = j.at("name").get<std::string>();
  } else if (reply == "roof") {
    line.kind = Kind::roof;
    line.roof = roof_from_json(j.at("roof"));
  } else if (reply == "error") {
    line.kind = Kind::error;
    line.message = j.at("message").get<std::string>();
  } else if (reply == "measure") {
    line.kind = Kind::reply;
    line.reply = reply_from(j);
  } else {
    fail("worker: unknown reply " + reply);
  }
}

}  // namespace

std::string reply_line(const HelloReply& r) {
  return line_of({{"reply", "hello"},
                  {"protocol", r.protocol},
                  {"version", r.version},
                  {"machine", to_json(r.machine)}});
}

std::string reply_line(const SentLibrary& library) {
  return line_of({{"reply", "library"}, {"name", library.name}});
}

std::string reply_line(const Roof& roof) {
  return line_of({{"reply", "roof"}, {"roof", to_json(roof)}});
}

std::string reply_line(const MeasureReply& reply) {
  Json candidates = Json::array();
  for (const TrialResult& r : reply.candidates) candidates.push_back(to_json(r));
  return line_of({{"reply", "measure"},
                  {"candidates", candidates},
                  {"copies", reply.copies},
                  {"cold", reply.cold}});
}

std::string error_line(const std::string& message) {
  return line_of({{"reply", "error"}, {"message", message}});
}

std::string waiting_line(const std::string& message) {
  return line_of({{"event", "waiting"}, {"message", message}});
}

std::optional<WorkerLine> parse_worker_line(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    WorkerLine line = {};
    json.contains("event") ? read_event(json, line) : read_reply(json, line);
    return line;
  } catch (const Json::exception&) {
    return std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace gatefold
