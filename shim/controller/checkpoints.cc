// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/checkpoints.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "policy/core/node_runs.h"
#include "shim/controller/backoff.h"
#include "shim/controller/clock.h"
#include "shim/controller/lifecycle.h"
#include "shim/controller/pause_rules.h"

namespace dfrs::shim {

using Phase = Checkpointing::Phase;
using Verdict = Checkpointing::Verdict;

// Each node's report is read once per call.
class Checkpoints::Reports {
 public:
  explicit Reports(const NodeAgents& agents) : agents_(agents) {}
  const NodeReport& of(NodeIndex node) {
    const auto [place, is_new] = reports_.try_emplace(node);
    if (is_new) place->second = agents_.report(node);
    return place->second;
  }

 private:
  const NodeAgents& agents_;
  std::unordered_map<NodeIndex, NodeReport> reports_;
};

// What the agents of a job's nodes say of it.
struct Checkpoints::Seen {
  std::size_t nodes = 0;
  std::size_t answering = 0;
  std::size_t able = 0;
  std::size_t pre_dumping = 0;
  std::size_t frozen = 0;    // or dumped, in this attempt
  std::size_t dumped = 0;    // in this attempt
  std::size_t released = 0;  // they say that nothing of the job is stopped for a checkpoint
  std::size_t silent = 0;    // they have applied the newest state and say nothing of it
  bool restored = false, restored_previous = false, restored_written_off = false;
  std::optional<std::string> away;    // the name of a node without an answer for too long
  std::optional<std::string> unable;  // why
  std::optional<std::string> failed;  // where and why, in this attempt
  std::optional<std::string> restore_failed;
  std::uint64_t stopped_by = 0;  // the highest attempt for which its processes are stopped somewhere
  std::uint64_t bytes = 0, bytes_on_node = 0;
  std::uint32_t programs = 0;  // stopped in this attempt
  std::vector<ImageTransfer> dumps, restores;
};

namespace {

std::string in_words(const CheckpointReport& report, const std::string& node) {
  return fmt::format("{} (node {})", report.reason.empty() ? "the agent gives no reason" : report.reason, node);
}

// Whether the policy wants the job to leave its nodes by a checkpoint, or slurmctld ended in the middle of the requeue.
bool is_to_leave(const Job& job) {
  if (!job.running() || job.lost()) return false;
  if (job.requeue.ask_again) return true;
  if (job.to_run_elsewhere()) return true;
  return job.desired.state == DesiredState::paused && job.desired.pause_way == PauseWay::checkpoint;
}

bool concerns(const Job& job, const Config& config) {
  const Checkpointing& state = job.checkpointing;
  return state.phase != Phase::none || state.restoring || state.written_off.attempt != 0 || checkpointable(job, config);
}

// The job waits for its largest image as long as its slowest node takes: the nodes may share a disk.
ImageTransfer longest_of(const std::vector<ImageTransfer>& of_nodes) {
  ImageTransfer longest;
  for (const ImageTransfer& one : of_nodes)
    longest = {std::max(longest.bytes, one.bytes), std::max(longest.seconds, one.seconds)};
  return longest;
}

}  // namespace

// `known`: agents have had the time to answer.
Checkpoints::Seen Checkpoints::gather(const Job& job, Reports& reports, const Nodes& nodes, bool known) {
  const Checkpointing& state = job.checkpointing;
  Seen seen;
  each_node(job.facts.nodes, [&](NodeIndex n) {
    ++seen.nodes;
    if (n >= nodes.size()) return;
    const NodeReport& report = reports.of(n);
    const std::string& name = nodes[n].name;
    if (report.reachable) ++seen.answering;
    // Right after a start of the controller no agent has answered yet.
    if (!report.reachable && report.age > kAgentPatience && known) seen.away = name;
    const JobUse* const use = report.use_of(job.id);
    if (use == nullptr || !use->checkpoint) {
      if (report.current) ++seen.silent;
      return;
    }
    const CheckpointReport& said = *use->checkpoint;
    using enum CheckpointState;
    const bool stopped = said.state == kFrozen || said.state == kDumped;
    const bool this_attempt = said.attempt == state.attempt;
    if (stopped) seen.stopped_by = std::max(seen.stopped_by, said.attempt);
    const bool resumed = this_attempt && said.state == kResumed;
    // One that has failed says so as long as it has not let the job go on.
    if (resumed || (report.current && !stopped && !this_attempt)) ++seen.released;
    if (report.current && this_attempt && said.state == kFailed) ++seen.silent;
    if (said.state == kUnable) {
      seen.unable = in_words(said, name);
    } else if (!stopped) {
      ++seen.able;
    }
    seen.bytes_on_node = std::max(seen.bytes_on_node, said.bytes);
    if (this_attempt && said.state == kPreDumping) ++seen.pre_dumping;
    if (this_attempt && stopped) {
      ++seen.frozen;
      seen.programs += said.programs;
    }
    if (this_attempt && said.state == kDumped) {
      ++seen.dumped;
      seen.bytes += said.bytes;
      seen.dumps.push_back({said.bytes, said.seconds});
    }
    if (this_attempt && said.state == kFailed) seen.failed = in_words(said, name);
    if (this_attempt && said.state == kResumed) seen.failed = fmt::format("the agent of node {} has resumed it", name);
    if (said.state == kFailed && said.attempt == state.image.attempt) seen.restore_failed = in_words(said, name);
    if (said.state == kRestored && said.attempt == state.image.attempt) {
      seen.restored = true;
      seen.restores.push_back({said.bytes, said.seconds});
    }
    if (said.state == kRestored && said.attempt == state.previous.attempt && said.attempt != 0)
      seen.restored_previous = true;
    if (said.state == kRestored && said.attempt == state.written_off.attempt && said.attempt != 0)
      seen.restored_written_off = true;
  });
  return seen;
}

void Checkpoints::note_verdict(Job& job, const Seen& seen) {
  Checkpointing& state = job.checkpointing;
  state.agents_answer = seen.nodes > 0 && seen.answering == seen.nodes;
  if (seen.bytes_on_node > 0) state.bytes_on_node = seen.bytes_on_node;
  if (seen.unable) {
    state.verdict = Verdict::unable;
    state.reason = *seen.unable;
  } else if (seen.nodes > 0 && seen.able == seen.nodes) {
    state.verdict = Verdict::able;
    state.reason.clear();
  }
}

void Checkpoints::watch(const Sources& from, JobTable& jobs, Changes& changes, Seconds now) {
  if (!began_) began_ = now;
  const bool known = now - *began_ > kAgentPatience;
  bool under_way = false;
  jobs.each([&](const Job& job) { under_way = under_way || job.checkpointing.phase != Phase::none; });
  if (!look_.due(now) && !under_way) return;
  if (from.agents == nullptr) {  // there is nobody to ask any more; agents without a state let jobs go
    jobs.each([&](Job& job) {
      if (job.checkpointing.phase != Phase::none) end_attempt(job, from, now);
      job.checkpointing.verdict = Verdict::unknown;
    });
    return;
  }
  Reports reports(*from.agents);
  jobs.each([&](Job& job) {
    if (job.facts.nodes.empty()) return;
    if (!concerns(job, from.config)) {
      job.checkpointing.verdict = Verdict::unknown;
      return;
    }
    const Seen seen = gather(job, reports, from.nodes, known);
    note_verdict(job, seen);
    move_on(job, seen, from, changes, now);
    if (job.checkpointing.restoring && job.running()) confirm_restore(job, seen, from, now);
    if (seen.restored_written_off && job.running()) take_back_loss(job, from, now);
  });
}

void Checkpoints::move_on(Job& job, const Seen& seen, const Sources& from, Changes& changes, Seconds now) {
  Checkpointing& state = job.checkpointing;
  if (state.under_way()) {
    if (seen.failed) return fail(job, *seen.failed, from, changes, now);
    if (state.phase != Phase::complete && seen.away)
      return fail(job, fmt::format("the agent of node {} does not answer", *seen.away), from, changes, now);
    const bool freezing = state.phase == Phase::freezing && seen.frozen < seen.nodes && seen.pre_dumping == 0;
    if (freezing && now - state.began > kFreezeTimeout)
      return fail(job, fmt::format("its processes did not stop within {:.0f} s", kFreezeTimeout), from, changes, now);
    if (seen.dumped < seen.nodes && now - state.began > from.config.checkpoint_timeout) {
      return fail(job,
                  fmt::format("it was not written within {:.0f} s (CheckpointTimeout)", from.config.checkpoint_timeout),
                  from, changes, now);
    }
  }
  switch (state.phase) {
    case Phase::none:
      // Stopped for an attempt of which we know nothing: slurmctld ended before it saved its state.
      if (seen.stopped_by <= state.attempt) return;
      state.attempt = seen.stopped_by;
      state.run = job.restarts;
      state.phase = Phase::resuming;
      state.began = now;
      stop_clock(job.progress.clock, now);
      from.log.warn(
          "job {}: it was stopped for a checkpoint of which slurmctld has no record; it continues where it is", job.id);
      return;
    case Phase::freezing:
      if (seen.frozen < seen.nodes) return;
      state.phase = Phase::dumping;
      state.programs = seen.programs;
      changed_ = true;
      return;
    case Phase::dumping:
      if (seen.dumped < seen.nodes) return;
      // What began after the freeze belongs to another instant.
      if (seen.programs != state.programs && state.programs != 0)
        return fail(job, fmt::format("{} of its programs were stopped, but {} written", state.programs, seen.programs),
                    from, changes, now);
      complete(job, seen, from);
      return;
    case Phase::complete:
      return;
    case Phase::resuming:
      if (seen.released == seen.nodes ||
          (seen.released + seen.silent == seen.nodes && now - state.began > kSilencePatience))
        end_attempt(job, from, now);
      return;
  }
}

void Checkpoints::complete(Job& job, const Seen& seen, const Sources& from) {
  Checkpointing& state = job.checkpointing;
  state.phase = Phase::complete;
  state.bytes = seen.bytes;
  state.failures = 0;
  state.failure.clear();
  if (!seen.dumps.empty()) dumps_.push_back(longest_of(seen.dumps));
  ++counters_.completed;
  counters_.bytes += seen.bytes;
  changed_ = true;
  from.log.verbose("job {}: checkpointed, {} MiB", job.id, seen.bytes >> 20);
}

void Checkpoints::fail(Job& job, const std::string& why, const Sources& from, Changes& changes, Seconds now) {
  Checkpointing& state = job.checkpointing;
  state.phase = Phase::resuming;
  state.began = now;
  state.failure = why;
  ++state.failures;
  ++state.failed;
  ++counters_.failed;
  job.requeue.ask_again = false;  // had slurmd begun to end the run, there would be nothing to say about it
  state.not_before = now + back_off(state.failures, kCheckpointAgainFirst, kCheckpointAgainLast);
  job.policy.contradicted = true;
  changes.resync = true;
  changed_ = true;
  from.log.warn(
      "job {}: it cannot be checkpointed: {}. It continues where it is; the next attempt is in {:.0f} s at the "
      "earliest",
      job.id, why, state.not_before - now);
}

// All of its processes go on.
void Checkpoints::end_attempt(Job& job, const Sources& from, Seconds now) {
  job.checkpointing.phase = Phase::none;
  changed_ = true;
  if (job.running()) grant_yield(job, now, job.progress.granted_yield, from.agents != nullptr);
}

void Checkpoints::confirm_restore(Job& job, const Seen& seen, const Sources& from, Seconds now) {
  Checkpointing& state = job.checkpointing;
  if (state.restoring_since == 0 || job.has(DFRS_JOB_CONFIGURING)) state.restoring_since = now;
  // Nodes without a program of the job have nothing to say, so one that does is enough.
  if (seen.restored) return restored(job, seen, state.image, from, now);
  const Seconds waited = now - state.restoring_since;
  if (waited < kReportsAreNew) return;  // what else is said may be about the last run
  if (seen.restored_previous) return restored(job, seen, state.previous, from, now);
  // Without an answer of all nodes nobody knows.
  const bool late = waited > from.config.checkpoint_timeout && seen.answering == seen.nodes;
  // The agents say it for some seconds only, in which slurmctld was restarted.
  if (late && state.in_doubt) return restored(job, seen, state.image, from, now);
  if (!seen.restore_failed && !late) return;
  from.log.warn("job {}: it was not restored and has started over: {}", job.id,
                seen.restore_failed.value_or("no agent has reported that it was"));
  restored(job, seen, {}, from, now);
}

// This run began from `image`, which may be none.
void Checkpoints::restored(Job& job, const Seen& seen, const Image& image, const Sources& from, Seconds now) {
  Checkpointing& state = job.checkpointing;
  state.restoring = false;
  changed_ = true;
  ++(image.attempt != 0 ? counters_.restored : counters_.started_over);
  if (image.attempt == state.image.attempt) {
    if (!seen.restores.empty()) restores_.push_back(longest_of(seen.restores));
    return;
  }
  if (image.attempt == 0) state.written_off = state.image;
  lose_progress(job, image.progress, now, from.totals);
  state.image = image;
  state.previous = {};
}

// The run has begun from an image after all: its script came to the program late, or it was ended by others when the
// image had just been written.
void Checkpoints::take_back_loss(Job& job, const Sources& from, Seconds now) {
  Checkpointing& state = job.checkpointing;
  regain_progress(job, state.written_off.progress, now, from.totals);
  state.image = std::exchange(state.written_off, {});
  ++counters_.restored;
  changed_ = true;
}

Seconds Checkpoints::settle(const Sources& from, JobTable& jobs, Seconds now) {
  bool under_way = false;
  jobs.each([&](Job& job) {
    Checkpointing& state = job.checkpointing;
    if (state.under_way()) {
      if (!is_to_leave(job)) give_up(job, from, now);
    } else if (state.phase == Phase::none && !job.requeue.ask_again && is_to_leave(job) &&
               way_to_leave(job) == PauseWay::checkpoint) {
      begin(job, from, now);
    }
    under_way = under_way || state.phase != Phase::none;
  });
  return under_way ? now + kPoll : kNever;
}

void Checkpoints::begin(Job& job, const Sources& from, Seconds now) {
  Checkpointing& state = job.checkpointing;
  state.phase = Phase::freezing;
  state.programs = 0;
  // Above all earlier attempts, even if the state file that knew them is lost.
  state.attempt = std::max(state.attempt + 1, static_cast<std::uint64_t>(std::max(now, 1.0)));
  state.run = job.restarts;
  state.began = now;
  ++state.attempts;
  ++counters_.attempts;
  changed_ = true;
  stop_clock(job.progress.clock, now);
  job.progress.raise_unconfirmed = false;
  from.log.verbose("job {}: its checkpoint begins", job.id);
}

void Checkpoints::give_up(Job& job, const Sources& from, Seconds now) {
  job.checkpointing.began = now;
  job.checkpointing.phase = Phase::resuming;
  ++counters_.given_up;
  changed_ = true;
  from.log.verbose("job {}: checkpoint abandoned; the job continues where it is", job.id);
}

}  // namespace dfrs::shim
