// SPDX-License-Identifier: GPL-2.0-or-later
// An instance of divisible load (RR-5724, section 2.2): clusters, where the databanks are, and requests. It differs
// from sim::Instance in what a job is: it has work instead of tasks, and no memory.
#pragma once

#include <string>
#include <vector>

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
  platform,  ///< its time alone on all clusters, databank or not: weight ~ 1 / size, as RR-5724 has it
  reach,     ///< its time alone on the clusters that hold its databank: 1 is what it can have at best
};

/// A job's weight: stretch = weight x flow time.
double stretch_weight(const dfrs::divisible::Platform& platform, const Job& job, StretchBasis basis);

/// Throws InputError that begins with the instance's name if something is out of range, jobs are not by release, or a
/// job's databank is nowhere.
void check(const Instance& instance);

}  // namespace dfrs::sim::divisible
