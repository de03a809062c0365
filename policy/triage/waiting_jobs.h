// SPDX-License-Identifier: GPL-2.0-or-later
// The jobs that wait in one round, by decreasing urgency.
//
// On a busy cluster tens of thousands of paused jobs stay paused, and most are alike in all that decides it but their
// urgency. Where one of them stays, those like it that are less urgent stay, too, until a job is placed or displaced.
// So jobs of one kind stand together, and such a kind rests.
#pragma once

#include <cstdint>
#include <vector>

#include "policy/core/view.h"
#include "policy/triage/kind_numbers.h"

namespace dfrs::triage {

/// A job by its urgency.
struct Ranked {
  double key = 0;
  std::uint64_t order = 0;  ///< of submission
  JobSlot job = kNoSlot;

  /// The more urgent first; among equals, the earlier submission.
  static bool before(const Ranked& a, const Ranked& b) { return a.key != b.key ? a.key > b.key : a.order < b.order; }
};

class WaitingJobs {
 public:
  void clear();
  /// A job that is like no other. O(1).
  void add(const Ranked& job) { entries_.push_back({job, kAlone}); }
  /// One that is alike with all jobs whose state, tasks, needs, rigid resources and weight are the same. O(1) on
  /// average.
  void add_alike(const Ranked& job, const JobView& spec) {
    entries_.push_back({job, kinds_.number(job.job, {spec.state, spec.tasks, spec.cpu_need, spec.weight, spec.rigid})});
  }
  /// After the last job was added. O(jobs).
  void start();

  bool empty();
  /// Takes out the most urgent job of those that do not rest. O(log jobs), and once for each kind O(its jobs x log of
  /// these).
  Ranked next();
  /// Puts a job that is like no other back, with a lower urgency.
  void again(const Ranked& job);
  /// The job that next() gave last, and all jobs like it, rest until wake().
  void rest();
  /// Of the kinds that rest, jobs less urgent than the one that next() gave last are looked at again. O(kinds that rest
  /// x log jobs).
  void wake();

 private:
  static constexpr std::uint32_t kAlone = ~std::uint32_t{0};

  // What decides whether there is room, and whether the job would be crowded there.
  struct Kind {
    JobState state{};
    std::uint32_t tasks = 0;
    double cpu_need = 0;
    double weight = 0;
    RigidVector rigid{};
    friend bool operator==(const Kind&, const Kind&) = default;
  };
  struct KindHash {
    std::size_t operator()(const Kind& kind) const;
  };
  struct Entry {
    Ranked job;
    std::uint32_t kind = kAlone;
  };
  // Jobs of one kind: members_[next .. end), the most urgent first; the others in order once one of them is wanted.
  struct Group {
    std::uint32_t next = 0;
    std::uint32_t end = 0;
    bool sorted = false;
  };
  // The most urgent job of a group that does not rest, or one that is alone.
  struct Head {
    Ranked job;
    std::uint32_t group = kAlone;
    static bool later(const Head& a, const Head& b) { return Ranked::before(b.job, a.job); }
  };

  void push(const Head& head);
  void push_group(std::uint32_t group);
  void sort(Group& group);
  void proceed();

  std::vector<Entry> entries_;
  std::vector<Ranked> members_;  // by group
  std::vector<Group> groups_;    // by kind
  std::vector<Head> heads_;      // a heap
  std::vector<std::uint32_t> resting_;
  Head last_;              // what next() gave last
  bool proceeds_ = false;  // the group of last_ has not been put back yet
  KindNumbers<Kind, KindHash> kinds_;
};

}  // namespace dfrs::triage
