// SPDX-License-Identifier: GPL-2.0-or-later
// Max-min fair yields by weights: y = min(1, lambda w), with the largest lambda that each job's nodes allow.
//
// Lambda rises; a job that reaches 1 is fixed there, a node that is full fixes those of its jobs that are left. A node
// waits at the level at which it would be full if nobody else were fixed, is looked at when lambda comes there, and
// waits at a higher level where others have been fixed since: they took no more than their share. What it finds hangs
// on its own jobs alone, and on whether each was fixed before. That makes the answer after a small change cheap: the
// levels at which nodes waited, and where jobs were fixed, are remembered, and only nodes at which something is
// otherwise are looked at again, from the level on at which it is. The answer is the same to the last bit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policy/yield/level_queue.h"
#include "policy/yield/sharing.h"

namespace dfrs {

class WeightedMaxMinYield {
 public:
  /// A job whose yield another() has changed.
  struct Change {
    std::uint32_t job;  ///< index into sharing.jobs()
    double before;
  };

  /// Yields by index into sharing.jobs(), each in (0, 1]; `weights` likewise, each > 0 and finite. With equal weights
  /// the result is that of MaxMinYield up to rounding. O(places (log nodes + jobs of a node)): a node is looked at
  /// again when others have fixed its jobs.
  void solve(const Sharing& sharing, std::span<const double> weights, std::span<double> yields);

  /// The same after sharing.move(): `yields` are those of before, by the same weights, and become what solve() would
  /// find. As solve(), counting only jobs whose yields change and the nodes they are on. False, and nothing is changed,
  /// if these are more than `most` nodes.
  bool follow_move(const Sharing& sharing, std::span<const double> weights, std::span<double> yields, std::size_t most);
  /// What the last follow_move() has changed, if it was true, in no particular order.
  std::span<const Change> changes() const { return changes_; }
  /// Undoes the last follow_move(), if it was true; before or after sharing.move_back(). O(what it looked at).
  void move_back(std::span<double> yields);

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// An instant of the filling: nodes of the same level are looked at by index.
  struct Instant {
    double level;
    std::uint32_t node;

    friend bool operator==(const Instant&, const Instant&) = default;
    friend bool operator<(const Instant& a, const Instant& b) {
      return a.level != b.level ? a.level < b.level : a.node < b.node;
    }
  };
  /// What is to be done: look at the node, or, behind that, see to the jobs that it used to fix at this instant.
  struct Due : Instant {
    bool used_to_fix;

    // Heap order of the standard library puts the "largest" first.
    struct Later {
      bool operator()(const Due& a, const Due& b) const {
        const Instant& of_a = a;
        const Instant& of_b = b;
        return of_a == of_b ? b.used_to_fix < a.used_to_fix : of_b < of_a;
      }
    };
  };
  /// A level at which a node waited, and the next higher one.
  struct Wait {
    double level;
    std::uint32_t next;
  };
  struct FormerFix {
    std::uint32_t job;
    Instant fixed;
    double yield;
  };
  struct FormerWaits {
    std::uint32_t node, first;
  };

  void wait(std::uint32_t node, double level);
  double level_of_all(const Sharing& sharing, std::span<const double> weights, std::uint32_t node) const;
  bool is_fixed(std::uint32_t job, const Instant& at) const { return fixed_[job].node != kNone && fixed_[job] < at; }
  void open(std::uint32_t job, double yield);
  void look(const Sharing& sharing, std::span<const double> weights, std::span<double> yields, const Instant& at);
  void start_anew(const Sharing& sharing, std::span<const double> weights, std::span<double> yields,
                  std::uint32_t node);
  void stir(const Sharing& sharing, std::span<double> yields, std::uint32_t node, const Instant& from);
  void stir_others(const Sharing& sharing, std::span<double> yields, std::uint32_t job, const Instant& from);
  void open_jobs_of(const Sharing& sharing, std::span<double> yields, std::uint32_t node);
  void push(const Due& due);

  /// A job while solve() is at it: one of them is 0.
  struct Filling {
    double open_weight;  ///< its weight until it is fixed
    double yield;        ///< from then on
  };

  LevelQueue queue_;
  std::vector<Filling> filling_;  // by job
  std::vector<Wait> waits_;
  std::vector<std::uint32_t> first_wait_;  // by node; none: the node is as its neighbour before
  std::vector<std::uint32_t> last_wait_;   // by node
  std::vector<Instant> fixed_;             // by job: by which node and when; none where it reached 1

  // Of the last follow_move(). Marks hold its number.
  std::uint32_t move_ = 0;
  std::vector<Due> due_;                  // heap
  std::vector<std::uint32_t> node_mark_;  // by node: is looked at again
  std::vector<std::uint32_t> job_mark_;   // by job: is in former_
  std::vector<std::uint32_t> former_at_;  // by job: where
  std::vector<FormerFix> former_;
  std::vector<FormerWaits> former_waits_;
  std::size_t waits_before_ = 0;
  std::vector<Change> changes_;
};

}  // namespace dfrs
