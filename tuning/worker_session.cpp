#include "tuning/worker_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tuning/worker_shipping.h"

namespace gatefold {
namespace {

using Read = WorkerProcess::Read;

constexpr size_t kShownText = 200;
constexpr double kLastWordsSeconds = 5;

/// Of what may be anything: one printable line.
std::string quoted(const std::string& text) {
  std::string shown = text.substr(0, kShownText);
  std::replace_if(
      shown.begin(), shown.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  return "'" + shown + (text.size() > kShownText ? "…'" : "'");
}

std::string behind(const std::string& errors) { return errors.empty() ? "" : ": " + errors; }

}  // namespace

std::string WorkerOptions::name() const {
  if (!shown.empty()) return "worker '" + shown + "'";
  std::string words;
  for (const std::string& word : command) words += (words.empty() ? "" : " ") + word;
  return "worker '" + words + "'";
}

std::string describe(const WorkerExit& exit, const std::string& errors) {
  const std::string how = exit.signal ? std::string("ended by ") + strsignal(exit.signal)
                                      : "ended with status " + std::to_string(exit.code);
  return how + behind(errors);
}

WorkerSession::WorkerSession(const WorkerOptions& options)
    : options_(options), process_(options.command) {
  if (options_.program) ship();
  greet();
}

void WorkerSession::ship() {
  const std::string wanted = "that the program has arrived";
  if (!process_.write(*options_.program)) {
    throw WorkerLost(last_words(Read::closed) + "; wanted " + wanted);
  }
  const Heard heard = hear(options_.greeting_timeout_s);
  if (heard.how == Read::stopped || heard.text == kArrived) return;
  fail(complaint(heard, wanted));
}

void WorkerSession::greet() {
  const std::optional<WorkerLine> line =
      ask(request_line(HelloRequest{}), options_.greeting_timeout_s, WorkerLine::Kind::hello,
          "the greeting of gatefold-worker");
  if (!line) return;  // stopped
  if (line->hello.protocol != kWorkerProtocol) {
    fail(fmt::format(
        "{}: speaks protocol {} (version {}), wanted {}: the gatefold-worker that "
        "was built with this program",
        options_.name(), line->hello.protocol, quoted(line->hello.version), kWorkerProtocol));
  }
  machine_ = line->hello.machine;
}

void WorkerSession::write(const std::string& line) {
  if (!process_.write_line(line)) throw WorkerLost(last_words(Read::closed));
}

WorkerSession::Heard WorkerSession::hear(double seconds) {
  // Empty lines, as a login shell may write, are few: what writes nothing else is no worker.
  constexpr int kMostEmptyLines = 100;
  int empty = 0;
  while (true) {
    Heard heard;
    heard.how = process_.read_line(heard.text, seconds, options_.stop);
    if (heard.how != Read::line) return heard;
    if (heard.text.empty() && ++empty <= kMostEmptyLines) continue;
    heard.line = parse_worker_line(heard.text);
    if (!heard.line || heard.line->kind != WorkerLine::Kind::waiting) return heard;
    if (options_.waiting) options_.waiting(heard.line->message);
  }
}

std::string WorkerSession::last_words(Read how) {
  const WorkerExit exit = process_.finish(how == Read::closed ? kLastWordsSeconds : 0);
  const std::string errors = process_.stderr_tail();
  if (how == Read::closed) return options_.name() + ": " + describe(exit, errors);
  if (how == Read::timed_out) return options_.name() + ": did not answer in time" + behind(errors);
  return options_.name() + ": wrote something that is no reply" + behind(errors);
}

std::string WorkerSession::complaint(const Heard& heard, const std::string& wanted) {
  if (heard.how != Read::line) return last_words(heard.how) + "; wanted " + wanted;
  const bool understood = heard.line && heard.line->kind == WorkerLine::Kind::error;
  if (understood) return options_.name() + ": " + heard.line->message;
  process_.finish(0);
  return options_.name() + ": wrote " + quoted(heard.text) + ", wanted " + wanted;
}

/// Its answer; nothing if stopped. A worker that is not there any more is lost, one that says
/// something else is wrong.
std::optional<WorkerLine> WorkerSession::ask(const std::string& line, double seconds,
                                             WorkerLine::Kind wanted, const std::string& name) {
  if (!process_.write_line(line)) throw WorkerLost(last_words(Read::closed) + "; wanted " + name);
  Heard heard = hear(seconds);
  if (heard.how == Read::stopped) return std::nullopt;
  if (heard.line && heard.line->kind == wanted) return heard.line;
  const bool lost =
      heard.how == Read::closed || (heard.line && heard.line->kind == WorkerLine::Kind::ended);
  if (lost) throw WorkerLost(last_words(Read::closed) + "; wanted " + name);
  fail(complaint(heard, name));
}

bool WorkerSession::send(const SentLibrary& library) {
  if (has(library.name)) return true;
  const auto answer = ask(request_line(library), options_.setup_timeout_s,
                          WorkerLine::Kind::library, "that a library has arrived");
  if (answer) sent_.insert(library.name);
  return answer.has_value();
}

std::optional<Roof> WorkerSession::roof(const RoofRequest& request) {
  const auto answer = ask(request_line(request), options_.setup_timeout_s, WorkerLine::Kind::roof,
                          "what its machine reaches");
  return answer ? std::optional(answer->roof) : std::nullopt;
}

}  // namespace gatefold
