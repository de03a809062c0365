// SPDX-License-Identifier: GPL-2.0-or-later
// Decides which jobs run: by decreasing urgency, jobs take the room there is, or displace jobs that cost much less to
// pause.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "policy/triage/memory_shares.h"
#include "policy/triage/options.h"
#include "policy/triage/placer.h"
#include "policy/triage/room_count.h"
#include "policy/triage/victims.h"
#include "policy/triage/waiting_jobs.h"

namespace dfrs::triage {

/// Limit on the passes over the waiting jobs in one call. Jobs displaced in one pass may find a place in the next. In
/// practice pausing stops long before, since every victim must be less urgent by the margin.
inline constexpr int kMaxRounds = 50;

/// A job displaces others for room of its own if that gives it at least this many times the share it would have.
inline constexpr double kRoomier = 2;

class Admission {
 public:
  /// Without `pauses` no running job gives way to another.
  explicit Admission(bool pauses = true) : pauses_(pauses) {}

  /// Starts and resumes jobs by decreasing urgency. For a job that does not fit, running jobs are marked by increasing
  /// pause cost until it would fit; those that need not go are unmarked by decreasing cost, and the rest are paused. A
  /// job is marked only if its pause cost times the margin is below the urgency of the other. A job displaced at this
  /// instant displaces no other. A job that never ran, and finds room only where its share would be low, displaces
  /// others in the same way, but marks at most TRIED, for nodes where it gets at least twice as much. A paused job does
  /// not return where it would be crowded. Runs that would be lost are ended only for jobs that have waited for a part
  /// of their progress; memory that cannot be taken back is shared among users (memory_shares.h). True if anything
  /// changed. O(jobs log jobs + waiting x (nodes + running tasks)) per round; a job that asks for no less than one that
  /// has just found no room is skipped.
  bool run(DecisionContext& context, Placer& placer);

  /// Whether jobs were left waiting or paused by the last run, and the shortest flow time among them.
  bool waiting() const { return shortest_wait_ < kNever; }
  Seconds shortest_wait() const { return shortest_wait_; }

 private:
  // Which memory a job may use.
  struct Limits {
    NodeIndex lane = 0;   ///< on nodes below this
    bool beside = false;  ///< not what is reserved
  };
  // On which terms a job looks for room.
  struct Terms {
    double least = 0;           ///< its victims must cost less than this
    Seconds waited = 0;         ///< decides which runs may be ended for it
    double most_load = kNever;  ///< on nodes up to this load with it, relative to the capacity
    Limits limits{};
  };
  // A job that found no room, or could not make room at its urgency. Jobs that ask for no less of anything, and are no
  // more urgent, need not be tried.
  struct Refused {
    RigidVector rigid{};
    std::uint32_t tasks = 0;
    double cpu_need = 0;
    bool exclusive = false;
    Terms terms;
  };

  // A job that would be crowded wherever it goes: jobs that ask for no less of anything would be, too.
  struct Crowded {
    RigidVector rigid{};
    std::uint32_t tasks = 0;
    double cpu_need = 0;
    double least = 0;  ///< its share would be below this
  };
  // A job that has room.
  struct Roomy {
    RigidVector rigid{};
    std::uint32_t tasks = 0;
  };

  enum class Settled {
    no_room,
    stays,  ///< paused, although there is room
    placed,
    displacing,  ///< others are paused for it
  };

  static bool starts(Settled settled) { return settled == Settled::placed || settled == Settled::displacing; }

  bool round(DecisionContext& context, Placer& placer, bool& paused);
  void begin_waiting(const DecisionContext& context);
  bool has_equals(const DecisionContext& context, JobSlot job) const;
  bool refusals_hold(const DecisionContext& context) const;
  bool probe(DecisionContext& context, Placer& placer, bool& paused);
  void place(DecisionContext& context, JobSlot job, std::span<const NodeIndex> nodes);
  Settled attend(DecisionContext& context, Placer& placer, const Ranked& job);
  Settled settle(DecisionContext& context, Placer& placer, const Ranked& job);
  bool returns_crowded(const DecisionContext& context, const Ranked& job, std::span<const NodeIndex> nodes) const;
  double crowded_below(const DecisionContext& context, const Ranked& job) const;
  bool surely_stays(const DecisionContext& context, const Ranked& job);
  bool has_room(const ClusterState& state, const JobView& job);
  bool make_room(DecisionContext& context, Placer& placer, const Ranked& incoming, double most_load);
  bool mark_victims(const DecisionContext& context, const JobView& job, const Terms& terms);
  void displace_marked(DecisionContext& context, const Ranked& incoming, double least);
  void collect_victims(const DecisionContext& context, double below);
  bool was_displaced(JobSlot job) const { return was_displaced_[job] != 0; }
  void explain_room(const ClusterState& state, JobSlot job) const;
  Victim cheapest_victim(const DecisionContext& context) const;
  void explain_refusal(const DecisionContext& context, JobSlot job, double least);
  static bool known_too_big(const std::vector<Refused>& refused, const JobView& job, const Terms& terms);
  static void remember(std::vector<Refused>& refused, const JobView& job, const Terms& terms);
  Limits limits_of(const DecisionContext& context, JobSlot job) const;
  bool reserve(const DecisionContext& context, JobSlot job);

  MemoryShares shares_;
  Reservation reservation_;
  bool may_collect_ = false;                 // no job has found too little memory in this round
  WaitingJobs waiting_;                      // in the present round
  std::vector<Ranked> probes_;               // jobs whose users hold too much
  Victims victims_;                          // those that cost less than victims_below_
  double victims_below_ = 0;                 // 0: none collected in this call yet
  std::vector<Refused> refused_;             // jobs that found no room
  std::vector<Refused> outweighed_;          // jobs that could not make room
  std::vector<Crowded> crowds_;              // jobs that would be crowded, until others leave
  std::vector<Roomy> roomy_;                 // jobs that have room, until another is placed
  std::vector<Reason> displaced_;            // at this instant: the jobs, and why
  std::vector<std::uint8_t> was_displaced_;  // by slot, 0 or 1: is in displaced_
  std::vector<Victim> marked_;
  bool pauses_;
  double gone_ = 0;  // how many the last make_room() displaced
  RoomCount room_;
  std::vector<NodeIndex> crowded_;
  Seconds shortest_wait_ = kNever;
  std::optional<Victim> cheapest_;  // for reasons; none: not looked for, or displaced since
};

}  // namespace dfrs::triage
