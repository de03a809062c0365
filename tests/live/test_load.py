# SPDX-License-Identifier: GPL-2.0-or-later
"""A hundred short jobs on eight nodes under the best algorithm of the paper, its times scaled from minutes to seconds."""
import time

from . import load
from .capacity import Sampler
from .case import LiveTest
from .options import Options

SECONDS = 90
ALONE = True  # eight nodes are nearly all of two cores


class Load(LiveTest):
    options = Options(nodes=8, cpus=4, memory=1000, cores=0.2, algorithm="GreedyPM*/per/OPT=MIN/MINVT=6",
                      settings={"Period": "6", "MinProgress": "1", "CommentInterval": "1"},
                      # Where srun takes more than the seconds that it is given to start a step, it must not give up.
                      slurm={"BatchStartTimeout": "60", "MessageTimeout": "60"})

    def test_hundred_jobs_are_all_done_and_no_capacity_is_ever_broken(self):
        kinds = load.kinds(100, 7, nodes=8, memory=1000, scale=1.6)
        # Enough at once that jobs share, wait and are paused; the rest while these run.
        numbers = {}
        with Sampler(self.cluster) as sampler:
            for index, kind in enumerate(kinds):
                numbers[load.submit(self, kind)] = kind
                time.sleep(0 if index < 40 else min(0.3, 0.1 * kind.pause))
            ended = self.wait_ended(numbers, 300)
        self.assertEqual(sampler.broken, [])
        self.assertGreater(sampler.samples, 20)
        self.assert_completed(ended)
        for job, kind in numbers.items():
            self.assert_done(job, kind.work, kind.tasks, int(ended[job]["Restarts"]))
        # One start for each run, none twice.
        for job, kind in numbers.items():
            runs = [(line["restarts"], line["task"]) for line in self.results(job, "start")]
            self.assertEqual(len(set(runs)), len(runs), f"job {job}")
        self.assert_nodes_free()
        self.assertEqual(self.dfrsctl("status")["jobs"], [])
