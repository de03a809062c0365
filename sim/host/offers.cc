// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/host/offers.h"

#include <algorithm>

#include "policy/core/requeue_rule.h"

namespace dfrs::sim {

Seconds Offers::next() const {
  Seconds next = kNever;
  for (const Offer& offer : offers_) next = std::min(next, offer.at);
  return next;
}

JobSlot Offers::take(Seconds now) {
  std::erase_if(offers_, [&](const Offer& offer) { return slots_.view(offer.job).state != JobState::waiting; });
  const auto due = std::find_if(offers_.begin(), offers_.end(), [&](const Offer& offer) { return offer.at <= now; });
  if (due == offers_.end()) return kNoSlot;
  const JobSlot job = due->job;
  offers_.erase(due);
  return job;
}

void Offers::plan(std::span<const Event> events, Seconds may_end, Seconds now) {
  if (may_end == kNever) return;
  for (const Event& event : events) {
    if (event.kind != EventKind::submitted || slots_.view(event.job).state != JobState::waiting) continue;
    std::uint32_t& planned = planned_[event.job];
    if (planned == kOffersAgain) continue;
    ++planned;
    offers_.push_back({event.job, std::max(may_end, now + kOfferAgain)});
  }
}

}  // namespace dfrs::sim
