/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/settle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "plugin/compat.h"

/* From a slurmd's registration until it has ended a copy that it was told to end. It also remembers in whole seconds
 * when that was, and refuses job credentials that are not younger. */
static const double kEndOfCopies = 3.0;
/* A node that has not registered by then is left to Slurm, which will find it not responding. */
static const double kLongestWait = 20.0;

enum settling { SETTLE_UNKNOWN, SETTLE_WAITING, SETTLE_DONE };

static enum settling state;
static char marker[4096];
static double began, registered;

/* Nodes that should answer and have not said since slurmctld's start what runs on them. -1: slurmctld is not ready. */
static int unregistered_nodes(void) {
  const slurmctld_lock_t locks = {.conf = READ_LOCK, .node = READ_LOCK};
  lock_slurmctld(locks);
  int count = 0;
  if (!avail_node_bitmap || slurmctld_config.shutdown_time || slurmctld_config.scheduling_disabled) {
    count = -1;
  } else {
    for (int i = 0; i < node_record_count; ++i) {
      const node_record_t *node = compat_node(i);
      if (node && node->name && node->slurmd_start_time == 0 && !IS_NODE_DOWN(node) && !IS_NODE_NO_RESPOND(node) &&
          !IS_NODE_FUTURE(node) && !IS_NODE_POWERED_DOWN(node) && !IS_NODE_POWERING_DOWN(node) &&
          !IS_NODE_POWERING_UP(node) && !IS_NODE_UNKNOWN(node))
        ++count;
    }
  }
  unlock_slurmctld(locks);
  return count;
}

/* True if the marker was there: whoever made it has not ended in order. */
static bool make_marker(const char *state_dir) {
  snprintf(marker, sizeof(marker), "%s/dfrs.running", state_dir);
  const int file = open(marker, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0 && errno == EEXIST) return true;
  if (file < 0) {
    error("sched/dfrs: cannot make %s: %m; should slurmctld be killed, jobs that it had just started may be started twice",
          marker);
    return false;
  }
  (void)close(file);
  return false;
}

bool settle_done(const char *state_dir, double now) {
  if (state == SETTLE_DONE) return true;
  const int missing = unregistered_nodes();
  if (missing < 0) return false;
  if (state == SETTLE_UNKNOWN) {
    if (!make_marker(state_dir)) {
      state = SETTLE_DONE;
      return true;
    }
    state = SETTLE_WAITING;
    began = now;
    registered = -1;
    ping_nodes_now = true; /* slurmctld asks all nodes to register at its first ping */
    info("sched/dfrs: slurmctld was not ended in order: nothing is started until nodes have said what runs on them");
  }
  if (missing > 0 && now - began < kLongestWait) return false;
  if (registered < 0) registered = now;
  if (now - registered < kEndOfCopies) return false;
  if (missing > 0) info("sched/dfrs: %d nodes have not registered; going on without them", missing);
  verbose("sched/dfrs: jobs are started again");
  state = SETTLE_DONE;
  return true;
}

void settle_end(void) {
  if (state != SETTLE_UNKNOWN && unlink(marker) != 0 && errno != ENOENT) error("sched/dfrs: cannot remove %s: %m", marker);
  state = SETTLE_UNKNOWN;
}
