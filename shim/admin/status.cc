// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/admin/status.h"

namespace dfrs::shim {

const char* situation_name(JobSituation situation) {
  switch (situation) {
    case JobSituation::blocked:
      return "blocked";
    case JobSituation::waiting:
      return "waiting";
    case JobSituation::backing_off:
      return "backing-off";
    case JobSituation::starting:
      return "starting";
    case JobSituation::running:
      return "running";
    case JobSituation::pausing:
      return "pausing";
    case JobSituation::moving:
      return "moving";
    case JobSituation::suspended:
      return "suspended";
    case JobSituation::requeued:
      return "requeued";
    case JobSituation::resuming:
      return "resuming";
    case JobSituation::user_suspended:
      return "user-suspended";
  }
  return "?";
}

const char* stage_name(CheckpointStage stage) {
  switch (stage) {
    case CheckpointStage::none:
      return "none";
    case CheckpointStage::freezing:
      return "freezing";
    case CheckpointStage::dumping:
      return "dumping";
    case CheckpointStage::complete:
      return "complete";
    case CheckpointStage::resuming:
      return "resuming";
    case CheckpointStage::restoring:
      return "restoring";
  }
  return "?";
}

}  // namespace dfrs::shim
