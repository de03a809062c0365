# SPDX-License-Identifier: GPL-2.0-or-later
"""slurmctld ends in good order right after a submission: the job is there when it starts again."""
from . import jobs
from .case import LiveTest
from .options import Options

SECONDS = 40
TIMES = 6


class Shutdown(LiveTest):
    options = Options(nodes=1, cpus=4, memory=1000, cores=0.4, algorithm="GreedyP*/OPT=MIN", settings={"PauseBy": "none"})

    def test_job_submitted_just_before_is_known_afterwards(self):
        first = self.sbatch(memory=900, script="sleep 300")
        self.wait_state(first, "RUNNING")
        waiting = []
        for _ in range(TIMES):
            waiting.append(self.sbatch(memory=900, script="exit 0"))
            self.cluster.stop("slurmctld")
            self.cluster.start_slurmctld()
            self.assertEqual([jobs.state(self.cluster, job) for job in (first, *waiting)], ["RUNNING"] + ["PENDING"] * len(waiting))
