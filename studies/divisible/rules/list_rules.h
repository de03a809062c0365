// SPDX-License-Identifier: GPL-2.0-or-later
// Rules that keep a list of the active jobs and serve its head: RR-5724, sections 4.2, 4.3.2 and 5.3.
#pragma once

#include <vector>

#include "studies/divisible/rules/model.h"
#include "studies/divisible/rules/readings.h"

namespace dfrs::divisible {

enum class ListRule {
  spt,       ///< least size; for the stretch, the same as Smith's rule SWPT
  srpt,      ///< least remaining work
  swrpt,     ///< least remaining work / weight
  bender02,  ///< greatest pseudo-stretch (Bender, Muthukrishnan, Rajaraman 2002)
  mct_div,   ///< first come, first served
};

/// The list is rebuilt at each call, at releases and completions. Ties go by release.
///
/// MCT-DIV divides an arriving job over all clusters that hold its databank, so that it completes as early as possible
/// without changing what is already scheduled. Each cluster begins it when the jobs before it are done there, which is
/// the same as a list in first come, first served order.
///
/// bender02: with D = greatest / least size of the jobs seen so far, the pseudo-stretch of a job is (now - release) /
/// sqrt(D) if its size is at most sqrt(D) times the least, else (now - release) / D.
class ListScheduler final : public Scheduler {
 public:
  explicit ListScheduler(ListRule rule) : rule_(rule) {}
  /// `jobs`: all jobs of the instance, for Bender02Reading::instance.
  ListScheduler(ListRule rule, const Readings& readings, std::span<const JobView> jobs);
  void decide(const View& view, Decision& decision) override;

 private:
  double key(const JobView& job) const;
  void bound(const JobView& job);
  bool small(const JobView& job) const;
  Seconds next_change(const View& view) const;

  ListRule rule_;
  Bender02Instants instants_ = Bender02Instants::events;
  Bender02Reading bounds_ = Bender02Reading::seen;
  double least_ = kNever, greatest_ = 0;  // sizes seen, or known from the start
  Seconds ranked_at_ = 0;                 // the instant at which keys count
  std::vector<JobIndex> order_;
  std::vector<double> keys_;
};

}  // namespace dfrs::divisible
