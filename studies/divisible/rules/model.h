// SPDX-License-Identifier: GPL-2.0-or-later
// Divisible load on clusters with databanks, as modelled by Legrand, Su and Vivien (RR-5724, section 2): a job may run
// on any number of processors at once, wherever its databank is, and loses nothing by being split or interrupted. These
// are the inputs and outputs of a scheduling rule; a host (studies/divisible/host/) keeps the time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "policy/core/units.h"

namespace dfrs::divisible {

using ClusterIndex = std::uint32_t;
using DatabankIndex = std::uint32_t;
using JobIndex = std::uint32_t;

/// Equal processors that all hold the same databanks.
struct Cluster {
  int processors = 1;                    ///< >= 1
  double speed = 1;                      ///< of one processor, work per second, > 0
  std::vector<DatabankIndex> databanks;  ///< ascending

  double power() const { return processors * speed; }
  friend bool operator==(const Cluster&, const Cluster&) = default;
};

/// Clusters that hold the same databanks are one machine to a divisible job (RR-5724, lemma 1).
struct Site {
  std::vector<ClusterIndex> clusters;
  double power = 0;  ///< of all clusters together
};

class Platform {
 public:
  Platform() = default;
  /// Requires every cluster's databanks to be ascending and < `databanks`.
  Platform(std::vector<Cluster> clusters, std::size_t databanks);

  std::span<const Cluster> clusters() const { return clusters_; }
  std::size_t databanks() const { return hosts_.size(); }
  std::span<const Site> sites() const { return sites_; }
  /// The clusters that hold a databank.
  std::span<const ClusterIndex> hosts(DatabankIndex databank) const { return hosts_[databank]; }
  std::span<const std::uint32_t> sites_of(DatabankIndex databank) const { return sites_of_[databank]; }
  bool holds(ClusterIndex cluster, DatabankIndex databank) const;
  /// Power of all clusters, and of those that hold a databank; 0 if none does.
  double power() const { return power_; }
  double reach(DatabankIndex databank) const { return reach_[databank]; }

 private:
  std::vector<Cluster> clusters_;
  std::vector<Site> sites_;
  std::vector<std::vector<ClusterIndex>> hosts_;
  std::vector<std::vector<std::uint32_t>> sites_of_;
  std::vector<double> reach_;
  double power_ = 0;
};

/// A job as a rule sees it.
struct JobView {
  Seconds release = 0;
  double size = 0;    ///< work, > 0
  double weight = 0;  ///< > 0; the stretch of a job is weight x flow time
  DatabankIndex databank = 0;
  double remaining = 0;  ///< work left; 0 once it is complete
  Seconds completion = kNever;
};

struct View {
  Seconds now = 0;
  const Platform* platform = nullptr;
  std::span<const JobView> jobs;     ///< released so far, by release; a job keeps its index
  std::span<const JobIndex> active;  ///< incomplete jobs, ascending
  std::size_t arrived = 0;           ///< number of new jobs, at the end of `jobs`
};

/// `cluster` works on `job` at `rate` (work per second) until the next call.
struct Share {
  JobIndex job = 0;
  ClusterIndex cluster = 0;
  double rate = 0;
};

struct Decision {
  std::vector<Share> shares;
  Seconds wake_at = kNever;  ///< latest time of the next call; later than now

  void clear() {
    shares.clear();
    wake_at = kNever;
  }
};

/// A scheduling rule with its state. Deterministic.
class Scheduler {
 public:
  virtual ~Scheduler() = default;
  /// Called at every release and completion and at Decision::wake_at. Time does not decrease. `decision` is empty.
  virtual void decide(const View& view, Decision& decision) = 0;
};

}  // namespace dfrs::divisible
