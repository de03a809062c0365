// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/pause_reasons.h"

#include <fmt/format.h>

#include "base/counted.h"
#include "policy/core/requeue_rule.h"
#include "shim/controller/pause_rules.h"

namespace dfrs::shim {

std::string why_no_suspend(const Job& job, const Config& config, const NodeAgents* agents, Seconds now) {
  const Pausing& pausing = job.pausing;
  if (!pause_rules_of(job, config).suspend) {
    return fmt::format("PauseBy does not name suspend for partition {}", job.facts.partition);
  }
  if (pausing.suspend_refused) return "Slurm has refused to suspend it";
  if (const Seconds wait = job.suspendable_at(now) - now; wait > 0)
    return fmt::format("Slurm is not asked to suspend it for another {:.0f} s", wait);
  if (config.suspend_needs_swap && agents == nullptr) {
    return "no agent reports its nodes' swap (QuotaMode=off), and SuspendNeedsSwap=yes";
  }
  return fmt::format("its nodes lack {} MiB of free swap for each of its tasks, or its cgroup may not use so much",
                     job.facts.memory_per_task);
}

std::string why_no_checkpoint(const Job& job, const Config& config, Seconds now) {
  const Checkpointing& state = job.checkpointing;
  if (!job.has(DFRS_JOB_MAY_REQUEUE)) return "Slurm does not let it be requeued (not a batch job, or --no-requeue)";
  if (job.pausing.requeue_refused) return "Slurm has refused to requeue it";
  if (state.verdict == Checkpointing::Verdict::unable) return state.reason;
  if (!config.checkpoint_folder_shared && !on_one_node(job))
    return "it runs on several nodes, and each has a folder of images of its own (CheckpointFolderShared=no)";
  if (now < state.not_before) {
    return fmt::format("the last attempt failed: {}; the next one is in {:.0f} s at the earliest", state.failure,
                       state.not_before - now);
  }
  if (state.phase == Checkpointing::Phase::resuming)
    return "the last attempt was abandoned; its processes are being resumed";
  if (!state.agents_answer) return "the agent of one of its nodes does not answer";
  if (state.verdict == Checkpointing::Verdict::unknown) return "its agents have not said yet whether they can";
  return fmt::format("it has gained {:.0f} s of virtual time in this run, and MinProgress is {:.0f}",
                     job.run_virtual_time(now), config.min_progress);
}

std::string why_no_requeue(const Job& job, const Config& config, Seconds now) {
  const PauseRules& rules = pause_rules_of(job, config);
  if (!rules.requeue) return fmt::format("PauseBy does not name requeue for partition {}", job.facts.partition);
  if (!job.has(DFRS_JOB_MAY_REQUEUE)) return "Slurm does not let it be requeued (not a batch job, or --no-requeue)";
  if (job.pausing.requeue_refused) return "Slurm has refused to requeue it";
  if (job.checkpointing.phase != Checkpointing::Phase::none) return "a checkpoint of it is under way";
  if (!checkpoints(job, config)) {
    if (!rules.accept_lost_work) {
      return fmt::format("its work would be lost: its comment lacks {}, and LostWork=refuse", config.checkpoint_mark);
    }
    if (!may_lose_a_run(job.history.lost_runs, config.max_lost_runs)) {
      return fmt::format("it has lost the work of {}, and MaxLostRuns is {}",
                         base::counted(job.history.lost_runs, "run"), config.max_lost_runs);
    }
  }
  return fmt::format("it has gained {:.0f} s of virtual time in this run, and MinProgress is {:.0f}",
                     job.run_virtual_time(now), config.min_progress);
}

}  // namespace dfrs::shim
