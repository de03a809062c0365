// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/pausing/gang.h"

#include <algorithm>
#include <charconv>
#include <memory>

#include "policy/core/compare.h"
#include "policy/core/node_runs.h"
#include "policy/core/registry.h"
#include "policy/pausing/name_parts.h"

namespace dfrs {

void GangPolicy::decide(const ClusterView& view, std::span<const Event> events, ClusterState& state, Outcome& outcome) {
  arrange(view, state);
  if (!events.empty()) {
    refused_.clear();
    for (const JobSlot job : state.active()) {
      if (state.placed(job)) continue;
      state.explain({place(view, state, job) ? ReasonKind::room : ReasonKind::no_room, job});
    }
  }
  if (view.now >= slice_end_) {
    ++turn_;
    slice_end_ = view.now + rule_.slice;
  }
  const bool someone_suspended = run_row_in_turn(view, state, outcome);
  if (!someone_suspended) slice_end_ = kNever;
  if (someone_suspended && slice_end_ == kNever) slice_end_ = view.now + rule_.slice;
  outcome.wake_at = slice_end_;
}

// Whether the row has CPU for the job on these nodes. A node that is slower than the job needs must be empty.
bool GangPolicy::fits(const ClusterState& state, const Row& row, const JobView& job, std::span<const NodeIndex> nodes) {
  return all_node_runs(nodes, [&](NodeIndex n, std::uint32_t tasks) {
    return row.used[n] == 0 || cpu_fits(row.used[n] + job.cpu_need * tasks, state.cpu_capacity(n));
  });
}

void GangPolicy::add(Row& row, const JobView& job, std::span<const NodeIndex> nodes) {
  for (const NodeIndex n : nodes) row.used[n] += job.cpu_need;
}

// Puts placed jobs into rows, in order of submission: rows follow from the placements alone.
void GangPolicy::arrange(const ClusterView& view, const ClusterState& state) {
  rows_.clear();
  for (const JobSlot job : state.active()) {
    if (!state.placed(job)) continue;
    const std::span<const NodeIndex> nodes = state.nodes_of(job);
    auto row = std::find_if(rows_.begin(), rows_.end(),
                            [&](const Row& one) { return fits(state, one, view.jobs[job], nodes); });
    if (row == rows_.end()) row = rows_.insert(row, Row{std::vector<double>(state.node_count()), {}});
    add(*row, view.jobs[job], nodes);
    row->jobs.push_back(job);
  }
}

bool GangPolicy::place(const ClusterView& view, ClusterState& state, JobSlot job) {
  const JobView& spec = view.jobs[job];
  if (refused_.cover(spec)) return false;
  std::size_t fitting = 0;
  for (std::size_t k = 0; k < rule_.rows; ++k) {
    if (k == rows_.size()) rows_.push_back({std::vector<double>(state.node_count()), {}});
    if (!find(state, spec, rows_[k])) {
      fitting = std::max(fitting, nodes_.size());
      continue;
    }
    add(rows_[k], spec, nodes_);
    rows_[k].jobs.push_back(job);
    state.place(job, spec, nodes_);
    return true;
  }
  refused_.add(spec, static_cast<std::uint32_t>(fitting));
  return false;
}

// Nodes by index for all tasks of the job, with CPU in this row and memory beside all rows.
bool GangPolicy::find(const ClusterState& state, const JobView& job, const Row& row) {
  nodes_.clear();
  for (NodeIndex n = 0; n < static_cast<NodeIndex>(state.node_count()) && nodes_.size() < job.tasks; ++n) {
    const double capacity = state.cpu_capacity(n);
    const double free = capacity - row.used[n] + capacity * kCpuTolerance;
    const double least = row.used[n] == 0 ? 1 : 0;
    if (free < job.cpu_need && least == 0) continue;
    const auto by_cpu =
        static_cast<std::uint32_t>(std::clamp(free / job.cpu_need, least, static_cast<double>(job.tasks)));
    const auto left = static_cast<std::uint32_t>(job.tasks - nodes_.size());
    nodes_.insert(nodes_.end(), std::min({by_cpu, left, state.room_for(job, n)}), n);
  }
  return nodes_.size() == job.tasks;
}

// Sets the yields: all CPU for the jobs of the row in turn, and for others that it leaves room. True if a job has none.
bool GangPolicy::run_row_in_turn(const ClusterView& view, const ClusterState& state, Outcome& outcome) {
  bool someone_suspended = false;
  Row running{std::vector<double>(state.node_count()), {}};
  std::vector<double> spare(state.node_count());  // by node: what suspended jobs leave, so that no node is overbooked
  for (NodeIndex n = 0; n < static_cast<NodeIndex>(spare.size()); ++n) {
    spare[n] = state.cpu_capacity(n) - kSuspended * state.cpu_load(n);
  }
  std::erase_if(rows_, [](const Row& row) { return row.jobs.empty(); });
  if (!rows_.empty()) turn_ %= rows_.size();
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    for (const JobSlot job : rows_[(turn_ + k) % rows_.size()].jobs) {
      const JobView& spec = view.jobs[job];
      const std::span<const NodeIndex> nodes = state.nodes_of(job);
      double yield = kSuspended;
      if (fits(state, running, spec, nodes)) {
        add(running, spec, nodes);
        yield = 1;
        each_node_run(nodes, [&](NodeIndex n, std::uint32_t tasks) {
          const double need = spec.cpu_need * tasks;
          if (cpu_exceeds(need, state.cpu_capacity(n))) yield = std::min(yield, spare[n] / need);
        });
      }
      someone_suspended = someone_suspended || yield == kSuspended;
      if (yield != spec.yield || !state.stays(job, spec)) outcome.yields->push_back({job, yield});
    }
  }
  return someone_suspended;
}

namespace {

constexpr std::size_t kMostRows = 16;
constexpr Seconds kSlice = 30;

Algorithm named(const GangRule& rule) {
  PolicyTraits traits;
  traits.shares_nodes = false;  // a job gets all of its CPU or none
  traits.submissions_apart = false;
  traits.only_simulated = "Slurm has it as PreemptMode=GANG,SUSPEND with OverSubscribe=FORCE";
  std::string name = "GANG/jobs=" + std::to_string(rule.rows);
  if (rule.slice != kSlice) name += "/slice=" + seconds_in_name(rule.slice);
  std::string description = "up to " + std::to_string(rule.rows) + " jobs a core in turns of " +
                            seconds_in_name(rule.slice) + " s, suspended in memory";
  return {std::move(name), std::move(description), traits,
          MakeNonClairvoyant([rule](const EngineOptions&) { return std::make_unique<GangPolicy>(rule); })};
}

std::vector<Algorithm> list() { return {named({2, kSlice}), named({4, kSlice})}; }

tl::expected<void, std::string> read_part(std::string_view part, GangRule& rule) {
  const std::size_t equals = part.find('=');
  const std::string_view value = equals == std::string_view::npos ? "" : part.substr(equals + 1);
  if (same_name(part.substr(0, equals), "slice")) {
    const auto slice = seconds_from_name(value);
    if (!slice) return wrong("slice takes a positive number of seconds");
    rule.slice = *slice;
    return {};
  }
  if (!same_name(part.substr(0, equals), "jobs")) {
    return wrong("'" + std::string(part.substr(0, 40)) + "' is neither jobs=K nor slice=SECONDS");
  }
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), rule.rows);
  if (error != std::errc() || end != value.data() + value.size() || rule.rows < 2 || rule.rows > kMostRows) {
    return wrong("jobs takes a number from 2 to " + std::to_string(kMostRows));
  }
  return {};
}

// GANG/jobs=K[/slice=SECONDS].
NameMatch parse(std::string_view name) {
  if (!same_name(name.substr(0, name.find('/')), "GANG")) return std::nullopt;
  GangRule rule;
  const auto read = read_name_parts(name, [&](std::string_view part) { return read_part(part, rule); });
  if (!read) return tl::unexpected(read.error());
  return Algorithm{named(rule)};
}

}  // namespace

extern const PolicyFamily gang_family{"timesliced", "Gang scheduling by time slices, as Slurm's sched/gang", list,
                                      parse};

}  // namespace dfrs
