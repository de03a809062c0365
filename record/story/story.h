// SPDX-License-Identifier: GPL-2.0-or-later
// What happened to a job, event by event, and why: gathered from the steps of an engine that explains
// (Engine::explain). Simulator, replay and controller use the same code, so that all of them tell the same in the same
// words.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "policy/core/decision.h"
#include "policy/core/resources.h"
#include "policy/core/view.h"

namespace dfrs::record {

enum class StoryKind : std::uint8_t { submitted, waits, started, resumed, moved, paused, slowed, sped_up, completed };

/// A policy's reason, with the number of the other job in place of its slot.
struct Why {
  ReasonKind kind = ReasonKind::room;
  std::optional<JobId> other;
  double value = 0;
  double limit = 0;

  bool operator==(const Why&) const = default;
};

/// The room that a waiting job finds once the decisions of the instant are carried out.
struct FreeRoom {
  std::size_t eligible = 0;  ///< nodes that it may use
  std::size_t unusable = 0;  ///< of these: down, draining or reserved
  /// Of these: with too little of a rigid resource for a task. A node counts for the first that is missing.
  std::array<std::size_t, kMaxRigid> short_of{};
  std::size_t exclusive = 0;  ///< of these: kept from it because it or the job there shares no node
  std::uint64_t tasks = 0;    ///< of the job, that would find room; at most all of them
};

/// A node, and how many of a job's tasks are there.
struct NodeTasks {
  NodeIndex node = 0;
  std::uint32_t tasks = 0;
};
inline constexpr std::size_t kNodesNamed = 8;

/// The node that limits a job's yield.
struct Crowd {
  NodeIndex node = 0;
  double load = 0;          ///< sum of the CPU needs there, in reference nodes
  double capacity = 1;      ///< in reference nodes
  std::vector<JobId> with;  ///< the other jobs there, by number; at most kCrowdNamed
  std::size_t others = 0;   ///< how many these are in all
};
inline constexpr std::size_t kCrowdNamed = 4;

struct StoryEvent {
  Seconds at = 0;
  /// waits: the last instant at which it was so; submitted: when the policy saw it first, if licences, limits or
  /// conditions kept it back for more than a second; else `at`
  Seconds until = 0;
  StoryKind kind = StoryKind::submitted;
  std::uint32_t node_count = 0;  ///< started, resumed, moved: different nodes
  /// The same, ascending: all where one job is followed, else the first kNodesNamed.
  std::vector<NodeTasks> nodes;
  double before = 0;             ///< slowed, sped_up: the yield until now
  double yield = 0;              ///< the yield from now on; 0 unless it runs
  std::optional<Why> why;        ///< nothing: the policy states none
  std::optional<Why> newest;     ///< waits: why at `until`, if that names another job or other numbers than `why`
  std::optional<FreeRoom> room;  ///< waits, at `at`; not with of_all()
  std::optional<Crowd> crowd;    ///< a yield below 1; not with of_all()

  /// Of a wait: why it goes on.
  const std::optional<Why>& why_now() const { return newest ? newest : why; }
};

/// Where a job's time went, by what was decided of it: a penalty counts as running. Also of events that are forgotten.
struct Totals {
  enum class Phase : std::uint8_t { waits, runs, paused, ended };

  Seconds begin = 0;     ///< from here on: its submission, or when it was first seen if it had started by then
  bool started = false;  ///< it had
  Phase phase = Phase::waits;
  Seconds since = 0;  ///< when the phase began, which does not count yet
  Seconds waited = 0;
  Seconds ran = 0;
  Seconds paused = 0;
  std::uint64_t pauses = 0;
  std::uint64_t moves = 0;

  void enter(Phase next, Seconds at);
  /// The phase up to `now` counts, too.
  Totals until(Seconds now) const;
};

/// A job's events, in order of time.
struct Story {
  std::uint32_t tasks = 1;
  std::vector<StoryEvent> events;
  std::uint64_t forgotten = 0;  ///< older events that are no longer kept
  Totals totals;
};

class Surroundings;

/// Whether a reason to wait is a lack of room. Batch policies want whole nodes, or nodes at other times.
bool lacks_room(ReasonKind kind);

class Stories {
 public:
  /// Follows one job, with all details: O(jobs + nodes + tasks) a step while it is there.
  static Stories of(JobId job) { return Stories(job, std::numeric_limits<std::size_t>::max()); }
  /// Follows all jobs that are in the system, without crowds and rooms, and keeps the newest `most` events of each.
  /// O(decisions + reasons + changed yields) a step. A story ends with its job.
  static Stories of_all(std::size_t most) { return Stories(std::nullopt, most); }

  /// Follows all jobs, keeps the stories of those that have ended, with crowds and rooms, and says nothing of changed
  /// yields. O(nodes) more for each wait that begins, O(jobs + tasks) for each job that is placed with a yield below 1.
  /// Without crowds and rooms if there are more than 20,000 slots.
  static Stories of_all_and_ended(std::size_t most) {
    Stories stories(std::nullopt, most);
    stories.keeps_ended_ = true;
    return stories;
  }

  /// `view` and `events` as given to the engine, `decisions` as it answered.
  void step(const ClusterView& view, std::span<const Event> events, const Decisions& decisions);
  /// Null: no such job was seen, or it has left and is not kept.
  const Story* find(JobId job) const;
  /// Of the last step.
  Seconds now() const { return now_; }

 private:
  static constexpr std::size_t kMostForSurroundings = 20'000;  // jobs

  explicit Stories(std::optional<JobId> only, std::size_t most) : only_(only), most_(most) {}

  bool follows(const JobView& job) const { return !only_ || *only_ == job.id; }
  // To look around takes O(slots) an instant, and a simulation that is watched has a slot for each job of the log.
  bool looks_around(const ClusterView& view) const {
    return only_ || (keeps_ended_ && view.jobs.size() <= kMostForSurroundings);
  }
  void take_events(const ClusterView& view, std::span<const Event> events);
  void take_submission(JobSlot where, const JobView& job, Seconds now);
  void take_all(const ClusterView& view);
  void take_reasons(const ClusterView& view, const Decisions& decisions);
  void take_placements(const ClusterView& view, const Decisions& decisions);
  void take_waiting(const ClusterView& view, const Decisions& decisions, Surroundings& around);
  void take_yields(const ClusterView& view, const Decisions& decisions, Surroundings& around);
  StoryEvent& add(JobSlot slot, const JobView& job, Seconds at, StoryKind kind);
  Why why_of(const ClusterView& view, const Reason& reason) const;
  void say_why(const ClusterView& view, const Decisions& decisions, JobSlot slot, StoryEvent& event) const;

  // What is remembered of a slot besides its story.
  struct Slot {
    JobId job = 0;
    bool known = false;
    double yield = 0;            // as last reported
    std::size_t reason = kNone;  // index of the last reason of this step
    bool placed = false;         // by this step
  };
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  Slot& slot(JobSlot slot) {
    if (slots_.size() <= slot) slots_.resize(slot + std::size_t{1});
    return slots_[slot];
  }

  std::optional<JobId> only_;
  std::size_t most_;
  bool keeps_ended_ = false;
  Seconds now_ = 0;
  std::vector<Slot> slots_;
  std::vector<JobSlot> touched_;  // slots with a reason or a placement in this step
  std::unordered_map<JobId, Story> stories_;
};

}  // namespace dfrs::record
