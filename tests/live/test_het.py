# SPDX-License-Identifier: GPL-2.0-or-later
"""Heterogeneous jobs and --immediate, which Slurm allows by its scheduler's name, in partitions that DFRS leaves alone."""
from . import jobs
from .case import LiveTest
from .options import Options
from .waiting import wait_for

SECONDS = 55


def _options(scheduler_type):
    return Options(nodes=2, cpus=4, memory=1000, cores=0.3, algorithm="GreedyP*/OPT=MIN", scheduler_type=scheduler_type,
                   settings={"CommentInterval": "1"},
                   slurm_lines=["PartitionName=other Nodes=ALL MaxTime=INFINITE State=UP"])


class HetTest(LiveTest):
    def submit(self, partition):
        text = (f"#!/bin/sh\n#SBATCH --output=/dev/null -p {partition} -n1 --mem=100\n#SBATCH hetjob\n"
                f"#SBATCH -p {partition} -n1 --mem=100\nexec sleep 1\n")
        return self.cluster.command("sbatch", "--parsable", text_input=text, cwd="/", check=False)

    def start_immediately_in_a_partition_of_stock_slurm(self):
        result = self.cluster.command("srun", "--immediate=5", "-p", "other", "-n1", "--mem=100", "true", cwd="/", check=False)
        self.assertEqual(result.returncode, 0, result.stderr)


class Heterogeneous(HetTest):
    options = _options("sched/backfill")

    def test_dfrs_schedules_under_the_name_of_backfill(self):
        job = self.sbatch_burn(1.0, memory=100)
        self.wait_event(job)
        self.assertIn(job, self.dfrs_jobs())
        self.assert_completed(self.wait_ended([job]))
        self.assertEqual(self.cluster.command("dfrsctl", "status").returncode, 0)

    def test_heterogeneous_job_runs_in_a_partition_of_stock_slurm(self):
        result = self.submit("other")
        self.assertEqual(result.returncode, 0, result.stderr)
        job = int(result.stdout.split("+")[0].split(";")[0])
        self.assert_completed(self.wait_ended([job, job + 1], 60))

    def test_heterogeneous_job_in_a_managed_partition_waits_with_a_reason(self):
        result = self.submit("dfrs")
        self.assertEqual(result.returncode, 0, result.stderr)
        job = int(result.stdout.split("+")[0].split(";")[0])

        def reason():
            return [each for each in self.dfrs_jobs().values() if "heterogeneous" in str(each)]
        wait_for("dfrsctl to say why", reason, 10)
        self.assertEqual(jobs.state(self.cluster, job), "PENDING")
        # Under sched/dfrs nobody else would look at the job, and Slurm would have refused it.
        wait_for("squeue to say why", lambda: "managed by dfrs" in self.cluster.command(
            "squeue", "-h", "-j", job, "-O", "Reason:100").stdout.replace("_", " "), 20)
        self.cluster.command("scancel", job)

    def test_immediate_starts_in_a_partition_of_stock_slurm(self):
        self.start_immediately_in_a_partition_of_stock_slurm()

    def test_immediate_in_a_managed_partition_waits_as_long_as_it_says_or_is_refused_at_once(self):
        def srun(immediate):
            return self.cluster.command("srun", immediate, "-p", "dfrs", "-n1", "--mem=100", "true", cwd="/", check=False)
        within = srun("--immediate=20")
        self.assertEqual(within.returncode, 0, within.stderr)
        now = srun("--immediate")
        self.assertNotEqual(now.returncode, 0, now.stderr)
        self.assertIn("busy", now.stderr)
        wait_for("no job to be left", lambda: not self.active_jobs(), 20)


class OwnName(HetTest):
    """SchedulerType=sched/dfrs: slurmctld goes by the name alone."""
    options = _options("sched/dfrs")

    def test_heterogeneous_jobs_are_refused_at_once(self):
        for partition in ("other", "dfrs"):
            self.assertNotEqual(self.submit(partition).returncode, 0)
        self.assertEqual(self.active_jobs(), [])

    def test_immediate_starts_in_a_partition_of_stock_slurm(self):
        self.start_immediately_in_a_partition_of_stock_slurm()
