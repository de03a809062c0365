// SPDX-License-Identifier: GPL-2.0-or-later
// Attempts to checkpoint a job (PauseBy=checkpoint), and the images of its last run. Written by checkpoints.h and,
// where a run ends, by lifecycle.h.
#pragma once

#include <cstdint>
#include <string>

#include "policy/core/units.h"
#include "shim/quota/node_agents.h"

namespace dfrs::shim {

/// An image on all nodes of a job, and the progress that is in it.
struct Image {
  std::uint64_t attempt = 0;  ///< that made it; 0: none
  Seconds progress = 0;       ///< virtual time
};

struct Checkpointing {
  enum class Phase : std::uint8_t {
    none,
    freezing,  ///< its agents stop its processes
    dumping,   ///< all are stopped; its agents write them
    complete,  ///< all are written: it may be requeued
    resuming,  ///< the attempt was given up; its processes go on
  };
  enum class Verdict : std::uint8_t { unknown, able, unable };

  Phase phase = Phase::none;
  std::uint64_t attempt = 0;  ///< of the phase, or the last one; increases, even if the state file is lost
  std::uint32_t run = 0;      ///< that the attempt dumps: Slurm's count of restarts
  Seconds began = 0;          ///< the attempt; resuming: when it was given up
  /// Stopped for the attempt, on all nodes. Their images serve only together. 0: not known.
  std::uint32_t programs = 0;

  // What the agents say of this run.
  Verdict verdict = Verdict::unknown;
  bool agents_answer = false;       ///< all of its nodes'
  std::string reason;               ///< unable: why
  std::uint64_t bytes_on_node = 0;  ///< of the image on the node with most of it; an estimate before the first dump

  // After failures.
  std::uint32_t failures = 0;  ///< in a row
  Seconds not_before = 0;      ///< no attempt until then
  std::string failure;         ///< the last one

  // Of all attempts.
  std::uint32_t attempts = 0;
  std::uint32_t failed = 0;
  std::uint64_t bytes = 0;  ///< of the last image, on all nodes

  // From the requeue on.
  Image image;             ///< the newest
  Image previous;          ///< the one before it
  Image written_off;       ///< its progress counts as lost, but a run may still turn out to begin from it
  bool restoring = false;  ///< the next run, or this one, is to begin from `image`; its agents have not said so yet
  Seconds restoring_since = 0;  ///< when this run was first seen; 0: it does not run yet
  bool in_doubt = false;        ///< restoring: slurmctld was restarted meanwhile
  /// What agents are told while they still have processes of the run that has ended.
  CheckpointPhase last_word = CheckpointPhase::kResume;

  /// An attempt is being made, or has succeeded.
  bool under_way() const { return phase == Phase::freezing || phase == Phase::dumping || phase == Phase::complete; }
  bool complete_for(std::uint32_t the_run) const { return phase == Phase::complete && run == the_run; }
};

}  // namespace dfrs::shim
