# SPDX-License-Identifier: GPL-2.0-or-later
"""ConstrainCores=yes, as nearly every site has it: Slurm pins jobs to the cores that it names for them. Jobs of DFRS share
all cores of their node, those of other partitions stay where Slurm puts them."""
import os
from pathlib import Path

from . import cgroups, configuration
from .case import LiveTest
from .options import Options
from .waiting import wait_for

SECONDS = 25
CPUS = 2
# The number of CPUs that a process may run on.
COUNT = "python3 -c 'import os; print(len(os.sched_getaffinity(0)))'"


class ConstrainedCores(LiveTest):
    options = Options(nodes=1, cpus=CPUS, memory=2000, cores=0.3, algorithm="Greedy*/OPT=MIN", slurm={"TaskPlugin": "task/cgroup"},
                      slurm_lines=["PartitionName=stock Nodes=ALL MaxTime=INFINITE State=UP OverSubscribe=NO"])

    @classmethod
    def make_options(cls):
        options = super().make_options()
        conf = configuration.cgroup_conf(cgroups.version())
        options.files = {"cgroup.conf": conf.replace("ConstrainCores=no", "ConstrainCores=yes")}
        return options

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        for top in Path("/sys/fs/cgroup").glob("*/slurm_n1"):
            for folder, _, _ in os.walk(top, topdown=False):
                try:
                    os.rmdir(folder)
                except OSError:
                    pass

    def setUp(self):
        super().setUp()
        if len(os.sched_getaffinity(0)) < CPUS:
            self.skipTest("this machine has one CPU")

    def counts(self, *options):
        """Of the batch step, of a step, and of the batch step after a step has come and gone."""
        step = f"srun --overlap --ntasks=1 --cpus-per-task=1 {COUNT}"
        job = self.sbatch(*options, cpus=1, memory=100, script=f"exec > {self.folder}/out\n{COUNT}\n{step}\n{COUNT}\n")
        self.assert_completed(self.wait_ended([job], 60))
        return [int(line) for line in (self.folder / "out").read_text(encoding="ascii").split()]

    def test_jobs_of_dfrs_may_run_on_all_cores(self):
        self.assertEqual(self.counts(), [len(os.sched_getaffinity(0))] * 3)

    def test_jobs_of_other_partitions_stay_on_their_own(self):
        self.assertEqual(self.counts("--partition=stock"), [1] * 3)

    def test_what_is_left_when_others_end_is_used(self):
        """Three jobs of a CPU each share two; where a pinned one ran into another's core, half of a CPU would idle."""
        three = [self.sbatch_burn(1000, cpus=1, memory=100) for _ in range(3)]
        for job in three:
            self.wait_event(job)
        self.cluster.command("scancel", three[1])
        left = [three[0], three[2]]
        wait_for("a CPU for each", lambda: all(self.dfrs_jobs().get(job, {}).get("yield") == 1 for job in left), 20)
        allowed = [len(os.sched_getaffinity(self.results(job, "start")[0]["pid"])) for job in left]
        self.assertEqual(allowed, [len(os.sched_getaffinity(0))] * 2)

    def test_no_group_of_a_job_is_left(self):
        self.assert_completed(self.wait_ended([self.sbatch(cpus=1, memory=100, script="true")], 60))
        self.assert_no_groups()
        wait_for("Slurm to remove its own", lambda: not list(Path("/sys/fs/cgroup").glob("cpuset/slurm_n1/uid_*/job_*")), 20)
