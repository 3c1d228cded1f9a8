#include "tuning/strategies/ledger.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tuning/pruning.h"

namespace gatefold {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void remove(std::vector<PointId>& ids, PointId id) { std::erase(ids, id); }

}  // namespace

Ledger::Ledger(const StrategyInput& input)
    : index_(input.index ? input.index
                         : std::make_shared<SpaceIndex>(input.space, input.predicted_ms)),
      seed_(input.seed),
      standings_(index_->space()),
      hopeless_(space().packings.size()),
      reference_(space().packings.size(), std::vector<double>(buckets(), 0)),
      books_(buckets()) {
  update_standings();
}

Ledger::Book& Ledger::book(size_t bucket) {
  Book& book = books_.at(bucket);
  if (book.state.empty()) {
    book.state.resize(points(bucket).size());
    // A stream of its own: the order does not depend on which bucket was looked at first.
    SeededRandom own(seed_ ^ (0x517cc1b727220a95u * (1 + bucket)));
    for (size_t p = 0; p < space().packings.size(); ++p) {
      std::vector<PointId>& ids = book.shuffled.emplace_back();
      const BucketPoints::Range range = points(bucket).range(p);
      for (PointId id = range.begin; id < range.end; ++id) ids.push_back(id);
      shuffle(ids, own);
      if (!index_->predicted(bucket).empty()) take_worthy_first(bucket, ids);
    }
  }
  return book;
}

/// Random points are taken from the back: those that the model thinks little of come last.
void Ledger::take_worthy_first(size_t bucket, std::vector<PointId>& ids) const {
  const std::vector<double>& predicted = index_->predicted(bucket);
  std::vector<double> ms;
  for (PointId id : ids) ms.push_back(predicted[id]);
  const std::vector<bool> worth = worth_trying_first(ms, seed_);
  std::vector<PointId> last, first;
  for (size_t i = 0; i < ids.size(); ++i) (worth[i] ? first : last).push_back(ids[i]);
  ids = std::move(last);
  ids.insert(ids.end(), first.begin(), first.end());
}

Candidate Ledger::ask(size_t bucket, PointId id, const std::string& proposer) {
  book(bucket).state.at(id).open = false;
  book(bucket).pending.push_back(id);
  ++asked_count_;
  return points(bucket).candidate(id, proposer);
}

void Ledger::tell(const Candidate& c, double ms) {
  const std::optional<PointId> id = points(c.bucket).find(c.packing, c.point);
  if (!id) return;
  Book& b = book(c.bucket);
  State& state = b.state.at(*id);
  if (std::isnan(state.ms)) b.told.push_back(*id);
  remove(b.pending, *id);
  ++b.answers;
  state = {false, ms > 0 ? ms : kInfinity};
  update_best(c.packing, c.bucket);
  update_standings();
}

void Ledger::update_best(size_t packing, size_t bucket) {
  double best = kInfinity;
  for (PointId id : told(bucket)) {
    if (points(bucket).packing(id) == packing) best = std::min(best, ms(bucket, id));
  }
  standings_.set_best(packing, bucket, best);
}

void Ledger::update_standings() {
  const std::vector<size_t> near = standings_.within(kHopelessRatio);
  const double leader = standings_.objective(standings_.best_packing());
  for (size_t p = 0; p < hopeless_.size(); ++p) {
    hopeless_[p] = !space().searched(p) || std::find(near.begin(), near.end(), p) == near.end();
    for (size_t b = 0; b < buckets(); ++b) {
      const double best = standings_.best(p, b), mean = standings_.objective(p);
      // Until a packing has times for all buckets, packings are compared bucket by bucket.
      const bool joint = std::isfinite(best) && std::isfinite(mean) && std::isfinite(leader);
      reference_[p][b] = joint ? std::log(best) - std::log(mean / leader) : 0;
    }
  }
  if (std::isfinite(leader)) return;
  for (size_t b = 0; b < buckets(); ++b) {
    double best = kInfinity;
    for (size_t p = 0; p < hopeless_.size(); ++p) best = std::min(best, standings_.best(p, b));
    if (!std::isfinite(best)) continue;
    for (auto& of_packing : reference_) of_packing[b] = std::log(best);
  }
}

double Ledger::joint_log(size_t bucket, PointId id, double log_ms) {
  return log_ms - reference_[points(bucket).packing(id)][bucket];
}

std::vector<PointId> Ledger::elites(size_t bucket, size_t count) {
  std::vector<std::pair<double, PointId>> ranked;
  for (PointId id : told(bucket)) {
    const double time = ms(bucket, id);
    if (!std::isfinite(time) || hopeless(points(bucket).packing(id))) continue;
    ranked.emplace_back(joint_log(bucket, id, std::log(time)), id);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<PointId> ids;
  for (const auto& [log_ms, id] : ranked) {
    if (ids.size() < count) ids.push_back(id);
  }
  return ids;
}

std::optional<PointId> Ledger::random_open(size_t bucket, SeededRandom& random) {
  std::vector<size_t> packings;
  for (size_t p = 0; p < hopeless_.size(); ++p) {
    std::vector<PointId>& left = book(bucket).shuffled[p];
    while (!left.empty() && asked(bucket, left.back())) left.pop_back();
    if (!hopeless_[p] && !left.empty()) packings.push_back(p);
  }
  if (packings.empty()) return std::nullopt;
  return book(bucket).shuffled[packings[random.below(packings.size())]].back();
}

}  // namespace gatefold
