// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/oracle/full_schedule.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

namespace dfrs::oracle {
namespace {

using sim::Instance;
using sim::Job;

struct Placed {
  Seconds start;
  Seconds end;
  int width;
};

class Planner {
 public:
  Planner(const Instance& instance, const PlainPlanner& rules)
      : instance_(instance), rules_(rules), machine_(static_cast<int>(instance.platform.nodes.size())) {
    result_.jobs.resize(instance.jobs.size());
    if (!rules.self_switching) policy_ = rules.fixed.order;
  }

  PlainSchedule run() {
    std::size_t arrived = 0;
    for (;;) {
      Seconds next = arrived < instance_.jobs.size() ? instance_.jobs[arrived].submit : kNever;
      for (const std::size_t job : running_) next = std::min(next, true_end(job));
      for (const auto& [job, start] : planned_) {
        if (reserved(job) && start == this->job(job).reserved_start && start > now_) next = std::min(next, start);
      }
      if (next == kNever) break;
      now_ = next;
      std::vector<std::size_t> ended;
      for (const std::size_t job : running_) {
        if (true_end(job) <= now_) ended.push_back(job);
      }
      std::sort(ended.begin(), ended.end());
      std::vector<std::size_t> submitted;
      for (; arrived < instance_.jobs.size() && instance_.jobs[arrived].submit <= now_; ++arrived) {
        submitted.push_back(arrived);
      }
      for (const std::size_t job : ended) result_.jobs[job].end = now_;
      // The first view is taken as a whole.
      const bool first = arrived == submitted.size() && !submitted.empty();
      if (!rules_.pass_per_event || first || (ended.empty() && submitted.empty())) {
        for (const std::size_t job : ended) std::erase(running_, job);
        step(!ended.empty(), submitted);
        continue;
      }
      for (const std::size_t job : ended) {
        std::erase(running_, job);
        step(true, {});
      }
      for (const std::size_t job : submitted) step(false, {job});
    }
    return result_;
  }

 private:
  const Job& job(std::size_t k) const { return instance_.jobs[k]; }
  Seconds duration(std::size_t k) const { return std::max(job(k).estimate, 1e-3); }
  Seconds true_end(std::size_t k) const { return result_.jobs[k].start + job(k).run_time; }
  Seconds expected_end(std::size_t k) const {
    return std::max(result_.jobs[k].start + duration(k), std::nextafter(now_, kNever));
  }
  bool reserved(std::size_t k) const { return job(k).reserved_start > job(k).submit; }

  static Placed placed(Seconds start, Seconds duration, int width) { return {start, start + duration, width}; }

  Seconds earliest(const std::vector<Placed>& list, Seconds not_before, Seconds duration, int width) const {
    std::vector<Seconds> candidates{not_before};
    for (const Placed& p : list) {
      if (p.end > not_before) candidates.push_back(p.end);
    }
    std::sort(candidates.begin(), candidates.end());
    for (const Seconds start : candidates) {
      std::vector<Seconds> instants{start};
      for (const Placed& p : list) {
        if (p.start > start && p.start < start + duration) instants.push_back(p.start);
      }
      const bool fits = std::all_of(instants.begin(), instants.end(), [&](Seconds t) {
        int used = width;
        for (const Placed& p : list) used += p.start <= t && t < p.end ? p.width : 0;
        return used <= machine_;
      });
      if (fits) return start;
    }
    return kNever;
  }

  std::vector<Placed> base() {
    std::vector<Placed> list;
    for (const std::size_t k : running_) list.push_back({result_.jobs[k].start, expected_end(k), job(k).tasks});
    for (const std::size_t k : waiting_) {
      if (reserved(k)) planned_[k] = put(list, k, std::max(now_, job(k).reserved_start));
    }
    return list;
  }

  Seconds put(std::vector<Placed>& list, std::size_t k, Seconds not_before) const {
    const Seconds start = earliest(list, not_before, duration(k), job(k).tasks);
    if (start < kNever) list.push_back(placed(start, duration(k), job(k).tasks));
    return start;
  }

  std::vector<std::size_t> variable(QueueOrder order) const {
    std::vector<std::size_t> jobs;
    for (const std::size_t k : waiting_) {
      if (!reserved(k)) jobs.push_back(k);
    }
    std::stable_sort(jobs.begin(), jobs.end(), [&](std::size_t a, std::size_t b) {
      if (order == QueueOrder::sjf) return duration(a) < duration(b);
      if (order == QueueOrder::ljf) return duration(a) > duration(b);
      return false;
    });
    return jobs;
  }

  std::map<std::size_t, Seconds> full_plan(const std::vector<std::size_t>& jobs) {
    std::map<std::size_t, Seconds> plan;
    std::vector<Placed> list = base();
    for (const std::size_t k : jobs) plan[k] = put(list, k, now_);
    return plan;
  }

  // The queue by which a policy is judged.
  std::vector<std::size_t> judged_by(QueueOrder order) const {
    return rules_.dynp.shared_queue && order == QueueOrder::fcfs ? shared_ : variable(order);
  }

  // The shared queue as the chosen policy sorts it, LJF from the end.
  void sort_shared() {
    std::stable_sort(shared_.begin(), shared_.end(), [&](std::size_t a, std::size_t b) {
      if (policy_ == QueueOrder::fcfs || duration(a) == duration(b)) return a < b;
      return duration(a) < duration(b);
    });
  }

  double quality(const std::map<std::size_t, Seconds>& plan) {
    std::vector<std::pair<Seconds, std::size_t>> starts;
    for (const auto& [k, start] : plan) starts.push_back({start, k});
    for (const auto& [k, start] : planned_) {
      if (reserved(k)) starts.push_back({start, k});
    }
    std::sort(starts.begin(), starts.end());
    const ReducedFuture& future = rules_.dynp.future;
    Seconds last = now_;
    double jobs = 0;
    double response = 0;
    double width = 0;
    double weighted = 0;
    const auto count = [&](std::size_t k, Seconds end) {
      last = std::max(last, end);
      jobs += 1;
      width += job(k).tasks;
      response += end - job(k).submit;
      weighted += job(k).tasks * (end - job(k).submit);
    };
    for (const std::size_t k : running_) count(k, std::max(now_, result_.jobs[k].start + duration(k)));
    for (std::size_t n = 0; n < starts.size(); ++n) {
      const auto [start, k] = starts[n];
      if (n > 0 && future.first_jobs > 0 && n >= future.first_jobs) break;
      if (n > 0 && start - now_ > future.within) break;
      count(k, start + duration(k));
    }
    if (rules_.dynp.quality == ScheduleQuality::makespan) return last - now_;
    return rules_.dynp.quality == ScheduleQuality::response ? response / jobs : weighted / width;
  }

  // Table 1, row by row.
  static std::pair<DeciderCase, QueueOrder> advanced(double fcfs, double sjf, double ljf, QueueOrder now) {
    const auto same = [](double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)); };
    const auto less = [&](double a, double b) { return a < b && !same(a, b); };
    if (same(fcfs, sjf) && same(sjf, ljf)) return {DeciderCase::k1, now};
    if (same(fcfs, ljf) && less(sjf, fcfs)) return {DeciderCase::k7, QueueOrder::sjf};
    if (less(sjf, fcfs) && less(sjf, ljf)) return {DeciderCase::k2, QueueOrder::sjf};
    if (same(sjf, ljf) && less(fcfs, sjf)) return {DeciderCase::k9, QueueOrder::fcfs};
    if (less(fcfs, sjf) && less(fcfs, ljf)) return {DeciderCase::k3, QueueOrder::fcfs};
    if (less(ljf, fcfs) && less(ljf, sjf)) {
      if (same(fcfs, sjf)) return {DeciderCase::k4b, QueueOrder::ljf};
      return {less(fcfs, sjf) ? DeciderCase::k4a : DeciderCase::k4c, QueueOrder::ljf};
    }
    const bool f = now == QueueOrder::fcfs;
    const bool s = now == QueueOrder::sjf;
    if (same(fcfs, sjf)) {
      if (f) return {DeciderCase::k6a, now};
      return s ? std::pair{DeciderCase::k6b, now} : std::pair{DeciderCase::k6c, QueueOrder::fcfs};
    }
    if (same(fcfs, ljf)) {
      if (f) return {DeciderCase::k8a, now};
      return s ? std::pair{DeciderCase::k8b, QueueOrder::fcfs} : std::pair{DeciderCase::k8c, now};
    }
    if (f) return {DeciderCase::k10a, QueueOrder::sjf};
    return {s ? DeciderCase::k10b : DeciderCase::k10c, now};
  }

  void step(bool ended, const std::vector<std::size_t>& submitted) {
    waiting_.insert(waiting_.end(), submitted.begin(), submitted.end());
    std::copy_if(submitted.begin(), submitted.end(), std::back_inserter(shared_),
                 [&](std::size_t k) { return !reserved(k); });
    bool replan = ended;
    for (const std::size_t k : running_) replan = replan || result_.jobs[k].start + duration(k) <= now_;
    for (const std::size_t k : submitted) replan = replan || reserved(k);
    const std::vector<std::size_t> backlog = variable(QueueOrder::fcfs);
    DynpDecision decision{now_, backlog.size(), std::nullopt, policy_, policy_};
    using Decider = DynpAlgorithm::Decider;
    if (rules_.self_switching && rules_.dynp.decider == Decider::basic) {
      if (!submitted.empty() && backlog.size() >= rules_.dynp.threshold) {
        Seconds average = 0;
        for (const std::size_t k : backlog) average += duration(k);
        average /= static_cast<double>(backlog.size());
        if (0 < average && average <= rules_.dynp.bounds.lower) policy_ = QueueOrder::sjf;
        if (rules_.dynp.bounds.lower < average && average <= rules_.dynp.bounds.upper) policy_ = QueueOrder::fcfs;
        if (rules_.dynp.bounds.upper < average) policy_ = QueueOrder::ljf;
        decision.after = policy_;
        result_.decisions.push_back(decision);
        replan = true;
      }
    } else if (rules_.self_switching) {
      replan = replan || !submitted.empty();
      if (backlog.size() > 1 && (ended || !submitted.empty())) {
        std::map<QueueOrder, double> q;
        for (const QueueOrder order : kQueueOrders) q[order] = quality(full_plan(judged_by(order)));
        q[policy_] *= 1 - rules_.dynp.slack;
        const auto [found, after] = advanced(q[QueueOrder::fcfs], q[QueueOrder::sjf], q[QueueOrder::ljf], policy_);
        decision.found = found;
        policy_ = after;
        if (rules_.dynp.decider == Decider::simple) {
          // The advanced decider's answer but in the four cases that table 1 marks.
          if (found == DeciderCase::k1 || found == DeciderCase::k6b || found == DeciderCase::k8c) {
            policy_ = QueueOrder::fcfs;
          }
          if (found == DeciderCase::k10c) policy_ = QueueOrder::sjf;
        }
        decision.after = policy_;
        result_.decisions.push_back(decision);
        sort_shared();
      }
    }
    if (replan && !rules_.self_switching && rules_.fixed.compress) {
      compress();
    } else if (replan) {
      const auto plan = full_plan(variable(policy_));
      for (const auto& [k, start] : plan) planned_[k] = start;
    } else {
      for (const std::size_t k : submitted) {
        std::vector<Placed> list;
        for (const std::size_t r : running_) list.push_back({result_.jobs[r].start, expected_end(r), job(r).tasks});
        for (const auto& [w, start] : planned_) {
          if (start < kNever) list.push_back(placed(start, duration(w), job(w).tasks));
        }
        planned_[k] = put(list, k, now_);
      }
    }
    for (const std::size_t k : submitted) result_.jobs[k].first_planned = planned_.at(k);
    const std::vector<std::size_t> candidates = waiting_;
    for (const std::size_t k : candidates) {
      if (planned_.at(k) > now_) continue;
      result_.jobs[k].start = now_;
      result_.jobs[k].started_by = policy_;
      planned_.erase(k);
      std::erase(waiting_, k);
      std::erase(shared_, k);
      running_.push_back(k);
    }
  }

  void compress() {
    const std::vector<Placed> fixed = base();
    std::map<std::size_t, Placed> kept;
    std::vector<std::size_t> by_start = variable(rules_.fixed.order);
    const auto planned = [&](std::size_t k) { return planned_.contains(k) ? planned_.at(k) : kNever; };
    std::stable_sort(by_start.begin(), by_start.end(),
                     [&](std::size_t a, std::size_t b) { return planned(a) < planned(b); });
    const auto list_without = [&](std::size_t left_out) {
      std::vector<Placed> list = fixed;
      for (const auto& [k, p] : kept) {
        if (k != left_out) list.push_back(p);
      }
      return list;
    };
    const auto keep = [&](std::size_t k, Seconds not_before) {
      const Seconds start = earliest(list_without(k), not_before, duration(k), job(k).tasks);
      kept.erase(k);
      if (start < kNever) kept[k] = placed(start, duration(k), job(k).tasks);
      planned_[k] = start;
    };
    for (const std::size_t k : by_start) keep(k, planned(k) == kNever ? now_ : std::max(now_, planned(k)));
    for (const std::size_t k : variable(rules_.fixed.order)) {
      if (planned(k) < kNever) keep(k, now_);
    }
  }

  const Instance& instance_;
  const PlainPlanner& rules_;
  int machine_;
  Seconds now_ = 0;
  QueueOrder policy_ = QueueOrder::fcfs;
  std::vector<std::size_t> running_;
  std::vector<std::size_t> waiting_;        // in order of submission
  std::vector<std::size_t> shared_;         // the same without reservations, as the last chosen policy sorted it
  std::map<std::size_t, Seconds> planned_;  // starts of waiting jobs
  PlainSchedule result_;
};

}  // namespace

PlainSchedule plan_plainly(const sim::Instance& instance, const PlainPlanner& planner) {
  return Planner(instance, planner).run();
}

}  // namespace dfrs::oracle
