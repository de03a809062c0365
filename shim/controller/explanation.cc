// SPDX-License-Identifier: GPL-2.0-or-later
// Explains to people why a job waits, or where it runs and why.
#include <fmt/format.h>

#include <algorithm>

#include "base/counted.h"
#include "policy/core/compare.h"
#include "shim/controller/inspection.h"
#include "shim/controller/memory_ledger.h"
#include "shim/controller/pause_reasons.h"
#include "shim/controller/pause_rules.h"
#include "shim/controller/situation.h"
#include "shim/controller/story_names.h"

namespace dfrs::shim {
namespace {

std::string join(const Places& places) {
  std::string text;
  for (const auto& [name, tasks] : places) text += fmt::format("{}{}:{}", text.empty() ? "" : " ", name, tasks);
  return text;
}

std::string why_weight(const Job& job, WeightRule rule) {
  switch (rule) {
    case WeightRule::none:
      break;
    case WeightRule::priority:
      return fmt::format("from Slurm's priority of {}", job.facts.priority);
    case WeightRule::qos:
      return fmt::format("from a QOS of priority {}", job.facts.qos_priority);
    case WeightRule::fair_share:
      return job.facts.fair_share < 0 ? "having no fair-share factor"
                                      : fmt::format("from a fair-share factor of {:.3g}", job.facts.fair_share);
  }
  return {};
}

// A sentence on what a pause would cost.
std::string why_cost(const Job& job, const PauseCosts& costs, const Config& config, Seconds now) {
  if (pause_way(job) == PauseWay::suspend) {
    if (!config.suspend_needs_swap) {
      return fmt::format("A pause would cost job {} about {:.3g} s: it would be stopped where it is.", job.id,
                         job.pausing.pause_cost);
    }
    return fmt::format("A pause would cost job {} about {:.3g} s: its memory to swap and back, at {:.3g} MiB/s.",
                       job.id, job.pausing.pause_cost, costs.swap_rate(config));
  }
  if (pause_way(job) == PauseWay::checkpoint) {
    return fmt::format(
        "A pause would cost job {} about {:.3g} s: {:.3g} MiB to write and to read, at {:.3g} and {:.3g} MiB/s, and "
        "{:.3g} s for another start.",
        job.id, job.pausing.pause_cost, image_on_a_node(job), costs.write_rate(config), costs.read_rate(config),
        costs.restart(config));
  }
  const bool loses = !checkpoints(job, config);
  return fmt::format(
      "A pause would cost job {} about {:.3g} s: {:.3g} s for another start{}.", job.id, job.pausing.pause_cost,
      costs.restart(config),
      loses ? fmt::format(", and {:.0f} s of work that would be lost", job.virtual_time(now)) : std::string());
}

// One job's explanation, line by line.
class Explanation {
 public:
  Explanation(const LiveState& live, const Job& job) : live_(live), job_(job), now_(live.counters.now) {}

  std::vector<std::string> lines(const record::Story* story, const record::StoryNames& names) {
    story_names_ = &names;
    if (job_.facts.phase == DFRS_JOB_ENDING)
      return {fmt::format("Job {} has ended; its nodes are being cleaned up.", job_.id)};
    const JobSituation situation = situation_of(job_, now_);
    say_situation(situation);
    say_where();
    say_request();
    const bool wants_room = situation == JobSituation::waiting || situation == JobSituation::suspended ||
                            situation == JobSituation::requeued;
    if (wants_room) {
      say_room();
      say_rank();
    }
    if (job_.running()) {
      say_progress();
      say_pausing();
      say_checkpoint();
      say_quota();
    }
    say_history();
    if (story != nullptr) tell_story(*story, names);
    return std::move(lines_);
  }

 private:
  template <typename... A>
  void say(fmt::format_string<A...> format, A&&... args) {
    lines_.push_back(fmt::format(format, std::forward<A>(args)...));
  }
  std::string names(const std::vector<NodeIndex>& nodes) const { return join(places(nodes, live_.nodes)); }
  Seconds flow_time() const { return std::max(0.0, now_ - job_.history.release); }

  void say_situation(JobSituation situation) {
    say("Job {} is {}.", job_.id, situation_name(situation));
    if (const auto why = reason_of(job_, situation, live_.reconciler, live_.nodes, now_))
      say("Why job {} is {}: {}.", job_.id, situation_name(situation), *why);
  }

  void say_where() {
    const std::vector<NodeIndex>& nodes = job_.facts.nodes;
    if (!nodes.empty())
      say("Job {} is on {}{}.", job_.id, names(nodes), job_.running() ? "" : " (it holds no memory there)");
    if (job_.to_run_elsewhere()) say("The policy has placed job {} on {}.", job_.id, names(job_.desired.nodes));
  }

  void say_request() {
    const JobFacts& facts = job_.facts;
    say("Job {} asks for {} of {} and {} MiB each.", job_.id, base::counted(facts.tasks, "task"),
        base::counted(facts.cpus_per_task, "CPU"), facts.memory_per_task);
    if (live_.config.measure_cpu_need && job_.need.value < 1) {
      say("Job {} was measured to need {:.2f} of each of these CPUs, and gets CPU accordingly.", job_.id,
          job_.need.value);
    }
    if (live_.config.weight != WeightRule::none) {
      say("The weight of job {} is {:.3g}, {}.", job_.id, job_.policy.weight, why_weight(job_, live_.config.weight));
    }
  }

  // What the policy decided, since slurmctld started.
  void tell_story(const record::Story& story, const record::StoryNames& names) {
    say("What the policy decided of job {}:", job_.id);
    if (story.forgotten != 0)
      say("  ({} of job {} came before these)", base::counted(story.forgotten, "event"), job_.id);
    for (const record::StoryEvent& event : story.events) {
      say("  {}  {}", names.time(event.at), record::sentence(job_.id, event, story, names));
    }
    lines_.push_back(record::totals_words(job_.id, story.totals.until(now_), names));
  }

  void say_room() {
    const JobFacts& facts = job_.facts;
    const MemoryLedger ledger = ledger_of_desired(live_.jobs, live_.nodes);
    const record::FreeRoom room = room_for(job_, false, live_.nodes, ledger);
    const std::size_t lacking = room.short_of[kMemory];
    say("Of {} that job {} may use, {} {} not usable, {} {} too little memory free, {} {} kept from it by exclusive "
        "use; there is room for {} of {} tasks.",
        base::counted(room.eligible, "node"), job_.id, room.unusable, room.unusable == 1 ? "is" : "are", lacking,
        lacking == 1 ? "has" : "have", room.exclusive, room.exclusive == 1 ? "is" : "are", room.tasks, facts.tasks);
    if (facts.tied_to_images)
      say("Job {} can continue only on {}, which has its images (CheckpointFolderShared=no).", job_.id,
          names(facts.last_nodes));
    if (policy_flags(job_).may_not_move) {
      say("Job {} can continue only where it is, on {}{}.", job_.id, names(facts.nodes),
          ledger.fits(footprint(job_, facts.nodes)) ? "" : "; memory there is taken by others");
    }
  }

  void say_rank() {
    say("The priority of job {} is {:.4g} (flow time {:.0f} s, virtual time {:.0f} s).", job_.id,
        priority_of(job_, now_), flow_time(), job_.virtual_time(now_));
  }

  void say_progress() {
    say("The yield of job {} is {:.3f}; virtual time {:.0f} s in {:.0f} s since its release.", job_.id,
        job_.progress.granted_yield, job_.virtual_time(now_), flow_time());
    if (!(job_.progress.granted_yield < 1) || !job_.to_run_in_place()) return;
    const record::Crowd crowd = crowd_around();
    if (cpu_fits(crowd.load, crowd.capacity)) return;  // a higher yield is on its way to the agents
    say("Why job {} gets less CPU than it needs: {}.", job_.id, record::crowd_words(crowd, *story_names_));
  }

  // The most crowded of the job's nodes, in CPUs; the job is to stay where it is. O(jobs + nodes + tasks).
  record::Crowd crowd_around() const {
    std::vector<double> load(live_.nodes.size());
    live_.jobs.each([&](const Job& other) {
      if (other.desired.state != DesiredState::running) return;
      for (NodeIndex n : other.desired.nodes) load[n] += other.need.value * other.facts.cpus_per_task;
    });
    record::Crowd crowd;
    double worst = -1;
    for (NodeIndex n : job_.desired.nodes) {
      const double capacity = live_.nodes.views()[n].spec.cpu * live_.nodes.reference_cpus();
      if (!(load[n] / capacity > worst)) continue;
      worst = load[n] / capacity;
      crowd.node = n;
      crowd.load = load[n];
      crowd.capacity = capacity;
    }
    live_.jobs.each([&](const Job& other) {
      const std::vector<NodeIndex>& nodes = other.desired.nodes;
      if (&other == &job_ || other.desired.state != DesiredState::running) return;
      if (std::binary_search(nodes.begin(), nodes.end(), crowd.node)) crowd.with.push_back(other.id);
    });
    std::sort(crowd.with.begin(), crowd.with.end());
    crowd.others = crowd.with.size();
    if (crowd.with.size() > record::kCrowdNamed) crowd.with.resize(record::kCrowdNamed);
    return crowd;
  }

  void say_pausing() {
    const JobFlags flags = policy_flags(job_);
    const Pausing& pausing = job_.pausing;
    if (flags.may_not_pause) {
      say("Job {} may not be paused now. No suspend: {}. No requeue: {}.", job_.id,
          why_no_suspend(job_, live_.config, live_.agents, now_), why_no_requeue(job_, live_.config, now_));
    } else if (pausing.pause_cost >= 0) {
      lines_.push_back(why_cost(job_, live_.pause_costs, live_.config, now_));
    } else {
      say("Job {} may be paused.", job_.id);
    }
    if (!flags.may_not_move) {
      const bool checkpoint = way_to_leave(job_) == PauseWay::checkpoint;
      say("Job {} may be moved: {}, and started elsewhere.", job_.id,
          checkpoint ? "checkpointed, requeued" : "requeued");
    } else if (job_.has(DFRS_JOB_STOCK_PLACED)) {
      say("Job {} may not be moved: Slurm chose its nodes, for resources that dfrs does not place.", job_.id);
    } else if (!flags.may_not_pause) {
      say("Job {} may not be moved, because a move needs a requeue: {}.", job_.id,
          why_no_requeue(job_, live_.config, now_));
    }
  }

  // What became of attempts to checkpoint it, and whether there can be another one.
  void say_checkpoint() {
    const Checkpointing& state = job_.checkpointing;
    if (job_.pausing.checkpointable && !state.under_way()) {
      if (job_.pausing.can_checkpoint) {
        say("Job {} can be checkpointed.", job_.id);
      } else {
        say("Job {} cannot be checkpointed: {}.", job_.id, why_no_checkpoint(job_, live_.config, now_));
      }
    }
    if (state.restoring) say("The agents of job {} have not said yet whether it was restored.", job_.id);
    if (state.attempts == 0) return;
    say("DFRS made {} to checkpoint job {}; {} failed; the last image had {} MiB.",
        base::counted(state.attempts, "attempt"), job_.id, state.failed, state.bytes >> 20);
  }

  // Names the first node where the newest quota is not in force.
  void say_quota() {
    if (live_.agents == nullptr) return;
    for (NodeIndex n : job_.facts.nodes) {
      const NodeReport report = n < live_.nodes.size() ? live_.agents->report(n) : NodeReport{};
      if (report.current) continue;
      say("The newest quota of job {} is not in force on {}: {}.", job_.id, live_.nodes[n].name,
          report.last_request ? "the node's agent has not answered yet" : report.last_request.error());
      return;
    }
  }

  void say_history() {
    const History& history = job_.history;
    if (job_.facts.time_limit != UINT32_MAX && history.first_start > 0) {
      say("Job {} has used, of its time limit of {} min, {:.1f} min of virtual time in this run.", job_.id,
          job_.facts.time_limit, job_.run_virtual_time(now_) / 60);
    }
    if (history.lost_runs > 0) {
      say("Job {} has lost the work of {}, {:.0f} s of virtual time.", job_.id, base::counted(history.lost_runs, "run"),
          history.lost_work);
    }
  }

  const LiveState& live_;
  const Job& job_;
  const Seconds now_;
  const record::StoryNames* story_names_ = nullptr;
  std::vector<std::string> lines_;
};

}  // namespace

tl::expected<JobExplanation, std::string> explain_job(const LiveState& live, std::uint32_t job_id) {
  const Job* job = live.jobs.find(job_id);
  if (job == nullptr) {
    return tl::unexpected<std::string>(
        fmt::format("job {} is not in a partition managed by dfrs, or has ended", job_id));
  }
  JobExplanation explanation;
  explanation.names = story_names(live.nodes);
  const record::Story* const story = live.driver.stories().find(job_id);
  explanation.lines = Explanation(live, *job).lines(story, explanation.names);
  if (story != nullptr) explanation.story = *story;
  explanation.totals = explanation.story.totals.until(live.counters.now);
  return explanation;
}

}  // namespace dfrs::shim
