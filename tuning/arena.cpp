#include "tuning/arena.h"

#include <unistd.h>

#include <algorithm>

namespace gatefold {
namespace {

/// For all copies of the weights: a quarter of the machine's memory, at most 4 GiB.
int64_t memory_bytes() {
  const int64_t physical = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGE_SIZE);
  return std::clamp(physical / 4, int64_t{1} << 30, int64_t{4} << 30);
}

/// What data and packed weights depend on.
std::string preparation_key(const MeasureRequest& request) {
  MeasureRequest key;
  key.ffn = request.ffn;
  key.target = request.target;
  key.threads = request.threads;
  key.seed = request.seed;
  key.cold = request.cold;
  return request_line(key);
}

}  // namespace

void Arena::prepare(const MeasureRequest& request) {
  const std::string key = preparation_key(request);
  if (key != prepared_for_) {
    prepared_for_.clear();
    rotations_.clear();
    oracle_.reset();
    data_ = std::make_unique<FfnData>(request.ffn, request.seed, request.threads);
    oracle_ = std::make_unique<Oracle>(*data_, request.target);
    prepared_for_ = key;
  }
  for (Rotation& rotation : rotations_) rotation.in_use = false;
  inputs_ = {stored_as(request.ffn.act(), data_->x(0, request.rows)),
             stored_as(request.ffn.act(), data_->residual(0, request.rows))};
}

/// Packings that this request does not need go first; returns the bytes left for another.
int64_t Arena::make_room() {
  int64_t used = 0;
  for (const Rotation& r : rotations_) used += r.weights.copies() * r.weights.packed_bytes();
  if (used > memory_bytes() / 2) {
    rotations_.remove_if([&](const Rotation& r) {
      if (!r.in_use) used -= r.weights.copies() * r.weights.packed_bytes();
      return !r.in_use;
    });
  }
  return std::max<int64_t>(0, memory_bytes() - used);
}

void Arena::place(Contestant& contestant, const MeasureRequest& request) {
  for (Rotation& rotation : rotations_) {
    if (std::optional<Route> route = rotation.weights.route(contestant.kernel())) {
      rotation.in_use = true;
      return contestant.place(rotation.weights, *route);
    }
  }
  const RotationOptions options = {request.threads, request.cold, make_room()};
  // A list's element stays where it is, so it is made in place.
  rotations_.emplace_back(contestant.table(), contestant.kernel(), *data_, options);
  WeightRotation& made = rotations_.back().weights;
  contestant.place(made, made.route(contestant.kernel()).value());
}

MeasureReply Arena::measure(const MeasureRequest& request) {
  prepare(request);
  std::vector<Contestant> contestants(request.libraries.size());
  for (size_t i = 0; i < contestants.size(); ++i) {
    events_.candidate(static_cast<int>(i));
    contestants[i].open(request.libraries[i], request);
    if (!contestants[i].opened()) continue;
    place(contestants[i], request);
    contestants[i].check(request, inputs_, *oracle_);
  }
  if (request.timed) sample_rounds(contestants, request, inputs_, events_.sampling);
  return reply(contestants);
}

MeasureReply Arena::reply(std::vector<Contestant>& contestants) const {
  MeasureReply reply;
  reply.cold = true;
  for (Contestant& c : contestants) {
    if (c.rotation()) {
      reply.copies = std::max(reply.copies, c.rotation()->copies());
      reply.cold = reply.cold && c.rotation()->cold();
    }
    reply.candidates.push_back(std::move(c.result()));
  }
  reply.cold = reply.cold && reply.copies > 0;
  summarise(reply.candidates);
  return reply;
}

}  // namespace gatefold
