// SPDX-License-Identifier: GPL-2.0-or-later
// An instance of divisible load (RR-5724, section 2.2): clusters, where the databanks are, and requests. Unlike in
// sim::Instance, a job has work instead of tasks, and no memory.
#pragma once

#include <string>
#include <vector>

#include "sim/errors.h"
#include "studies/divisible/rules/model.h"

namespace dfrs::sim::divisible {

struct Job {
  Seconds release = 0;
  double size = 0;  ///< work, > 0
  dfrs::divisible::DatabankIndex databank = 0;

  friend bool operator==(const Job&, const Job&) = default;
};

struct Instance {
  std::string name;
  std::size_t databanks = 0;
  std::vector<dfrs::divisible::Cluster> clusters;
  std::vector<Job> jobs;  ///< by release

  friend bool operator==(const Instance&, const Instance&) = default;
};

/// What the stretch of a job compares its flow time with.
enum class StretchBasis {
  platform,  ///< its time alone on all clusters, databank or not: weight ~ 1 / size, as in RR-5724
  reach,     ///< its time alone on the clusters that hold its databank: 1 is the best possible
};

/// A job's weight: stretch = weight x flow time.
double stretch_weight(const dfrs::divisible::Platform& platform, const Job& job, StretchBasis basis);

/// Errors: kExitInput beginning with the instance's name, if something is out of range, jobs are not sorted by release,
/// or no cluster holds a job's databank.
Result<void> check(const Instance& instance);

}  // namespace dfrs::sim::divisible
