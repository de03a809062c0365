// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/offers.h"

#include <algorithm>

#include "shim/controller/timing.h"

namespace dfrs::shim {

void offer_again(Books& books, Changes& changes, Seconds now) {
  books.each([&](Job& job) {
    if (job.offer_at == 0) return;
    if (job.wish != Wish::waiting || job.phase != DFRS_JOB_PENDING) {
      job.offer_at = 0;
      job.offered_again = 0;
      return;
    }
    if (now < job.offer_at) return;
    job.offer_at = 0;
    ++job.offered_again;
    leave_engine(job, books, changes);
    changes.entering.push_back(&job);
  });
}

Seconds plan_offers(Books& books, bool pauses_for_arrivals, Seconds now) {
  Seconds pausable = kNever;
  if (pauses_for_arrivals) {
    books.each([&](const Job& job) {
      if (job.running() && job.wish == Wish::running && job.target == job.at) {
        pausable = std::min(pausable, job.pausable_at);
      }
    });
  }
  Seconds next = kNever;
  books.each([&](Job& job) {
    if (job.wish != Wish::waiting) return;
    if (job.told_at == now && job.offered_again < kOffersAgain && pausable < kNever) {
      job.offer_at = std::max(pausable, now + kOfferAgain);
    }
    if (job.offer_at != 0) next = std::min(next, job.offer_at);
  });
  return next;
}

}  // namespace dfrs::shim
