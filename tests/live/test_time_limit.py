# SPDX-License-Identifier: GPL-2.0-or-later
"""Time limits count virtual time: no job dies of a limit that it would have met alone."""
import time

from . import jobs
from .case import LiveTest
from .options import Options
from .waiting import wait_for

SECONDS = 80


class TimeLimit(LiveTest):
    options = Options(nodes=2, cpus=4, memory=1000, cores=0.2, algorithm="GreedyPM*/OPT=MIN")

    def test_time_limit_counts_virtual_time(self):
        """Slurm's least limit is a minute: at a yield of a quarter such a job may take four, and one that has the node
        for itself is ended after one."""
        alone = self.sbatch(f"--nodelist={self.cluster.nodes[0]}", "--time=1", memory=100)
        node = self.cluster.nodes[1]
        shared = [self.sbatch(f"--nodelist={node}", f"--time={1 if number == 0 else 10}", memory=100)
                  for number in range(4)]
        started = time.time()
        for job in (alone, *shared):
            self.wait_state(job, "RUNNING")

        def limit():
            return self.end_of(shared[0]) - time.time() > 150
        wait_for("the end of the job at a quarter of the speed to be put off", limit, 20)
        fields = self.wait_state(alone, "TIMEOUT", 110)
        self.assertGreater(time.time() - started, 50)
        self.assertEqual(fields["JobState"], "TIMEOUT")
        self.assertEqual(jobs.state(self.cluster, shared[0]), "RUNNING")

    def end_of(self, job):
        return time.mktime(time.strptime(jobs.show(self.cluster, job)["EndTime"], "%Y-%m-%dT%H:%M:%S"))
