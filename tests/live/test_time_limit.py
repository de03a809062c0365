# SPDX-License-Identifier: GPL-2.0-or-later
"""Time limits count virtual time: a job at a low yield has as much longer."""
import time

from . import jobs
from .case import LiveTest
from .options import Options
from .waiting import wait_for

SECONDS = 150  # Slurm's limits are whole minutes, and it looks every 30 s; nearly no CPU time is used meanwhile
LIMIT = 60.0   # --time=1
LOW = 46.0     # seconds at a yield of 1/4, which cost 3/4 of them in virtual time: more than a PASS, so that no look sees both end
IDLE = True
PASS = 30      # seconds between slurmctld's looks at time limits


class TimeLimit(LiveTest):
    options = Options(nodes=2, cpus=4, memory=1000, cores=0.05, algorithm="Greedy*/OPT=MIN",
                      settings={"CommentInterval": "5"},
                      slurm={"KillWait": "2"},
                      slurm_lines=["PartitionName=stock Nodes=ALL MaxTime=INFINITE State=UP OverSubscribe=FORCE:1"])

    def test_limit_counts_virtual_time(self):
        one, two = self.cluster.nodes
        other = self.sbatch(f"--nodelist={two}", "--partition=stock", "--time=1", memory=60)
        self.wait_state(other, "RUNNING")
        job = self.sbatch(f"--nodelist={one}", "--time=1", memory=60)
        begun = time.time()
        self.wait_state(job, "RUNNING")
        crowd = [self.sbatch(f"--nodelist={one}", memory=60) for _ in range(3)]
        for each in crowd:
            self.wait_state(each, "RUNNING")
        wait_for("the yield to be a quarter", lambda: abs(self.dfrs_jobs()[job]["yield"] - 0.25) < 1e-6, 5)
        wait_for("the time at a low yield to pass", lambda: time.time() > begun + LOW, LOW + 10, interval=0.5)
        used = self.dfrs_jobs()[job]["run_virtual_time_s"]
        self.assertLess(used, LOW / 4 + 3)
        self.cluster.command("scancel", *crowd)
        wait_for("the yield to be 1", lambda: self.dfrs_jobs()[job]["yield"] == 1, 5)
        # Slurm ends a job of its own with the same limit; ours has used less of it and still runs.
        self.wait_state(other, "TIMEOUT", LIMIT + PASS + 10)
        self.assertGreater(time.time(), begun + LIMIT - 1)  # Slurm counts from the second in which it began
        state, now = jobs.state(self.cluster, job), self.dfrs_jobs()[job]
        self.assertEqual(state, "RUNNING", now)
        self.assertLess(now["run_virtual_time_s"], LIMIT)
        # Soon after its virtual time has passed the limit it is ended: at slurmctld's next look.
        wait_for("its virtual time to pass the limit",
                 lambda: self.dfrs_jobs().get(job, {"run_virtual_time_s": LIMIT})["run_virtual_time_s"] >= LIMIT, LIMIT)
        passed = time.time()
        self.assertGreater(passed, begun + LIMIT + 0.6 * LOW)
        self.wait_state(job, "TIMEOUT", PASS + 15)
        fields = jobs.show(self.cluster, job)
        hours, minutes, seconds = fields["RunTime"].split(":")
        self.assertGreater(int(hours) * 3600 + int(minutes) * 60 + int(seconds), LIMIT + 0.6 * LOW)
        self.assertLess(time.time() - passed, PASS + 15)
