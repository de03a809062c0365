// SPDX-License-Identifier: GPL-2.0-or-later
// Who runs: jobs by decreasing urgency take the room there is, and displace those whose pause costs little beside it.
#pragma once

#include <cstdint>
#include <vector>

#include "policy/triage/options.h"
#include "policy/triage/placer.h"
#include "policy/triage/victims.h"

namespace dfrs::triage {

/// Passes over the waiting jobs of one call: those displaced in one may find a place in the next. Pausing stops before
/// this in practice, since each pause needs a victim that is less urgent by the margin.
inline constexpr int kMaxRounds = 50;

/// Room of its own is worth displacing others for if it gives a job this many times the share it would have.
inline constexpr double kRoomier = 2;

class Admission {
 public:
  /// Starts and resumes what it can, by decreasing urgency. A job that does not fit marks running jobs, cheapest pause
  /// first, until it would; those it turns out not to need are kept, dearest first; the others are paused. No job is
  /// marked whose pause cost times the margin is not below the job's urgency, and a job displaced at this instant
  /// displaces no other. A job that never ran and finds room only where it would be crowded displaces others likewise,
  /// for nodes where it gets at least twice as much. True if anything changed.
  /// O(jobs log jobs + waiting x (nodes + running tasks)) per round; a job that asks for no less than one that
  /// has just found no room is passed over.
  bool run(DecisionContext& context, Placer& placer);

  /// Whether jobs wait or are paused after the last run, and the shortest flow time among them.
  bool waiting() const { return shortest_wait_ < kNever; }
  Seconds shortest_wait() const { return shortest_wait_; }

 private:
  struct Ranked {
    double key = 0;
    std::uint64_t order = 0;
    JobSlot job = kNoSlot;
  };
  // What found no room, or could not make room at this urgency: a job that asks for as much in everything, and is no
  // more urgent, need not be tried.
  struct Refused {
    RigidVector rigid{};
    std::uint32_t tasks = 0;
    bool exclusive = false;
    double least = 0;  ///< victims must cost less
  };

  bool round(DecisionContext& context, Placer& placer, bool& paused);
  void place(DecisionContext& context, JobSlot job, std::span<const NodeIndex> nodes);
  bool settle(DecisionContext& context, Placer& placer, const Ranked& job, bool& paused);
  bool make_room(DecisionContext& context, Placer& placer, const Ranked& incoming, double most_load);
  void collect_victims(const DecisionContext& context, double below);
  bool was_displaced(JobSlot job) const;
  static bool known_too_big(const std::vector<Refused>& refused, const JobView& job, double least);
  static void remember(std::vector<Refused>& refused, const JobView& job, double least);
  std::uint32_t room_at(const ClusterState& state, const JobView& job, NodeIndex n) const;
  void count_room(const ClusterState& state, const JobView& job);
  void recount(const ClusterState& state, const JobView& job, std::span<const NodeIndex> nodes);

  std::vector<Ranked> waiting_;
  Victims victims_;                  // at a cost below victims_below_
  double victims_below_ = 0;         // of this call; 0: none collected yet
  std::vector<Refused> refused_;     // found no room
  std::vector<Refused> outweighed_;  // could not make room
  std::vector<JobSlot> displaced_;   // at this instant
  std::vector<JobSlot> marked_;
  std::vector<std::vector<NodeIndex>> old_nodes_;
  std::vector<std::uint32_t> room_;
  std::uint64_t room_total_ = 0;
  double most_load_ = kNever;  // relative to the capacity, of the nodes that count as room
  std::vector<NodeIndex> crowded_;
  Seconds shortest_wait_ = kNever;
};

}  // namespace dfrs::triage
