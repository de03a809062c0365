// SPDX-License-Identifier: GPL-2.0-or-later
// A problem instance: a platform and the jobs submitted to it, including what only the simulator may know.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "policy/core/resources.h"
#include "policy/core/units.h"
#include "policy/core/view.h"
#include "record/pause_world.h"

namespace dfrs::sim {

using record::PauseEffect;
using record::PauseWorld;

/// One job of a workload. All its tasks are identical (RR-7659, section 2.2).
struct Job {
  JobId id = 0;
  Seconds submit = 0;          ///< release date, >= 0, from the instance's origin
  int tasks = 1;               ///< >= 1; each task runs on one node, several may share one
  double cpu_need = 1.0;       ///< CPU a task can use at full speed, in reference nodes, > 0
  RigidVector rigid{};         ///< what each task holds while it is placed; memory in MiB
  Seconds run_time = 0;        ///< processing time at full speed, >= 0
  Seconds estimate = 0;        ///< what the user said run_time would be, >= 0; only batch policies see it
  Seconds reserved_start = 0;  ///< advance reservation: the requested start; no reservation unless it is after submit

  std::uint32_t user = 0;                  ///< JobView::user; 0: not known
  std::uint32_t licences = 0;              ///< 1 + index into Platform::licence_sets; 0: needs none
  double weight = 1;                       ///< JobView::weight, > 0
  std::optional<PauseEffect> pauses = {};  ///< the workload's mark, for a world that goes by marks
  double cpu_asked = 0;                    ///< what the user requested, if more than cpu_need; policies see this

  double asked() const { return cpu_asked > cpu_need ? cpu_asked : cpu_need; }

  friend bool operator==(const Job&, const Job&) = default;
};

/// Licences of one name, for the whole cluster.
struct Licence {
  std::string name;
  std::int64_t total = 0;  ///< >= 1

  friend bool operator==(const Licence&, const Licence&) = default;
};

/// How many licences of one name a job holds.
struct LicenceUse {
  std::uint32_t licence = 0;  ///< index into Platform::licences
  std::int64_t count = 0;     ///< 1 .. total

  friend bool operator==(const LicenceUse&, const LicenceUse&) = default;
};
using LicenceSet = std::vector<LicenceUse>;  ///< ascending by licence

struct Platform {
  std::vector<NodeSpec> nodes;
  std::size_t rigid_dims = 1;  ///< how many rigid resources are in use, 1 .. kMaxRigid
  std::vector<Licence> licences;
  std::vector<LicenceSet> licence_sets;  ///< the different sets that jobs hold, none empty

  /// `count` equal nodes of CPU capacity 1 and `memory` MiB.
  static Platform homogeneous(std::size_t count, RigidAmount memory);
  /// Sum of the nodes' CPU capacities, |P| of the papers.
  double total_cpu() const;
  /// What a job holds; empty: nothing.
  std::span<const LicenceUse> licences_of(const Job& job) const {
    return job.licences == 0 ? std::span<const LicenceUse>{} : licence_sets[job.licences - 1];
  }
  /// The value for Job::licences; adds the set if it is new. O(sets).
  std::uint32_t licence_set(const LicenceSet& set);

  friend bool operator==(const Platform&, const Platform&) = default;
};

/// Where an instance was read from, for results that say what they are of. Simulations do not depend on it.
struct InstanceOrigin {
  std::string source;    ///< file or URL as the user gave it
  std::string sha256;    ///< of the source's bytes, before they are unpacked
  std::string workload;  ///< options by which the source became instances, as on a command line

  friend bool operator==(const InstanceOrigin&, const InstanceOrigin&) = default;
};

/// Jobs are sorted by submit time; jobs with equal times keep the order of the trace. This is the submission order
/// everywhere.
struct Instance {
  std::string name;
  Platform platform;
  std::vector<Job> jobs;
  std::shared_ptr<const InstanceOrigin> origin = nullptr;  ///< null: not known

  /// Work of one job in reference-node seconds: run_time x cpu_need x tasks.
  static double work(const Job& job) { return job.run_time * job.cpu_need * job.tasks; }
};

}  // namespace dfrs::sim
