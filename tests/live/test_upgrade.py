# SPDX-License-Identifier: GPL-2.0-or-later
"""slurmctld is replaced by that of the next version of Slurm while jobs run and are paused; nodes come later, as Slurm's
own rule says. Needs builds of two versions: tests/slurm/check names the next one."""
import os
import unittest

from . import jobs
from .options import Options
from .test_pausing import PausingTest
from .waiting import wait_for

SECONDS = 60
NEXT = (os.environ.get("DFRS_SLURM_NEXT_PREFIX"), os.environ.get("DFRS_NEXT_PLUGINS_DIR"))


@unittest.skipUnless(all(NEXT), "no build of the next version of Slurm is named")
class Upgrade(PausingTest):
    PROGRESS = 2.2  # a run is not suspended in its first two seconds
    options = Options(nodes=2, cpus=4, memory=1000, cores=0.4, algorithm="GreedyP*/OPT=MIN",
                      settings={"PauseBy": "suspend", "CommentInterval": "1"})

    def test_next_slurmctld_takes_over_running_and_paused_jobs(self):
        work = 4.0
        first = self.fill(work, hold=100)
        new = self.sbatch_burn(work, memory=900, hold=100)
        self.wait_event(new)
        paused = self.suspended(first)
        waiting = self.sbatch("--array=1-3", script="exec sleep 0.1", memory=100)
        # Slurm 25.05 and later end with a null pointer if they are stopped before anything has looked at a new array.
        jobs.show(self.cluster, waiting)
        before = self.dfrs_jobs()
        self.cluster.upgrade_slurmctld(*NEXT)
        after = wait_for("dfrsctl to be answered", self.known_jobs, 40, interval=0.2)
        for job in [*first, new]:
            self.assertGreaterEqual(after[job]["virtual_time_s"], 0.99 * before[job]["virtual_time_s"], (job, before, after))
        for job in paused:
            self.assertEqual(jobs.state(self.cluster, job), "SUSPENDED")
            self.assertEqual(after[job]["state"], "suspended", after[job])
        ended = self.wait_ended([*first, new], 120)
        self.assert_completed(ended)
        for job in [*first, new]:
            self.assert_one_run(job, work, ended)
        wait_for("the array to be over", lambda: not self.active_jobs(), 60)
        states = {fields["JobState"] for fields in jobs.show_all(self.cluster).values()
                  if fields.get("ArrayJobId") == str(waiting)}
        self.assertEqual(states, {"COMPLETED"})
        self.assert_nodes_free()

    def known_jobs(self):
        result = self.cluster.command("dfrsctl", "status", "--json", check=False)
        return self.dfrs_jobs() if result.returncode == 0 else None
