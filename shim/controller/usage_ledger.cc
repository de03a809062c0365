// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/usage_ledger.h"

#include <algorithm>
#include <cmath>

namespace dfrs::shim {

void UsageLedger::set(RunId run, Seconds now, double share) {
  share = std::clamp(share, 0.0, 1.0);
  const std::lock_guard lock(mutex_);
  Run& entry = runs_[key(run)];
  entry.last_set = std::max(entry.last_set, now);
  std::vector<Point>& points = entry.points;
  if (points.empty()) {
    points.push_back({now, 0, share});
  } else if (points.back().share != share) {
    Point& last = points.back();
    if (now <= last.at) {  // the clock may have been set back
      last.share = share;
      return;
    }
    points.push_back({now, last.given + last.share * (now - last.at), share});
    if (points.size() > kMostPoints) join_older(points);
  }
}

void UsageLedger::restore(RunId run, Seconds begin, double mean, Seconds at, double share) {
  mean = std::clamp(mean, 0.0, 1.0);
  const std::lock_guard lock(mutex_);
  const auto [entry, added] = runs_.try_emplace(key(run));
  if (!added) return;
  Run& restored = entry->second;
  restored.last_set = at;
  if (begin < at) restored.points.push_back({begin, 0, mean});
  restored.points.push_back({at, begin < at ? mean * (at - begin) : 0, std::clamp(share, 0.0, 1.0)});
}

// Drops every second point of the older half.
void UsageLedger::join_older(std::vector<Point>& points) {
  const std::size_t half = points.size() / 2;
  std::size_t kept = 1;
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (i < half && i % 2 == 1) continue;
    points[kept++] = points[i];
  }
  points.resize(kept);
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    points[i].share = (points[i + 1].given - points[i].given) / (points[i + 1].at - points[i].at);
  }
}

double UsageLedger::given(const Run& run, Seconds at) {
  const auto after = std::upper_bound(run.points.begin(), run.points.end(), at,
                                      [](Seconds t, const Point& point) { return t < point.at; });
  // Slurm's times of start are whole seconds, a little before the first point.
  const Point& point = after == run.points.begin() ? run.points.front() : *(after - 1);
  return point.given + point.share * (at - point.at);
}

std::optional<double> UsageLedger::mean(RunId run, Seconds from, Seconds to) const {
  if (!(to > from)) return std::nullopt;
  const std::lock_guard lock(mutex_);
  const auto found = runs_.find(key(run));
  if (found == runs_.end()) return std::nullopt;
  return std::clamp((given(found->second, to) - given(found->second, from)) / (to - from), 0.0, 1.0);
}

void UsageLedger::drop_old(Seconds now) {
  const std::lock_guard lock(mutex_);
  if (std::abs(now - dropped_at_) < 60) return;
  dropped_at_ = now;
  std::erase_if(runs_, [now](const auto& entry) { return entry.second.last_set < now - kKeep; });
}

void UsageLedger::clear() {
  const std::lock_guard lock(mutex_);
  runs_.clear();
}

UsageLedger& usage_ledger() {
  // Never destroyed: threads of slurmctld may still ask while the process exits.
  static UsageLedger& ledger = *new UsageLedger;
  return ledger;
}

}  // namespace dfrs::shim
