# SPDX-License-Identifier: GPL-2.0-or-later
"""What all live tests share: a cluster for each class, a folder for each test, and checks of both."""
import json
import os
import shutil
import tempfile
import time
import unittest
from pathlib import Path

from . import accounting, cgroups, jobs, slurm
from .cluster import Cluster, build_folder
from .errors import ClusterError, Unavailable
from .options import Options
from .waiting import wait_for


class LiveTest(unittest.TestCase):
    options = Options()
    maxDiff = None

    @classmethod
    def make_options(cls):
        """A copy of `options`; classes may add to it."""
        return Options.from_json(cls.options.to_json())

    @classmethod
    def setUpClass(cls):
        if cls.options.accounting:
            try:
                accounting.check_host(slurm.find_program)
            except Unavailable as reason:
                raise unittest.SkipTest(str(reason)) from None
        module = cls.__module__.rpartition(".")[2].replace("test_", "")
        base = Path(os.environ.get("DFRS_LIVE_LOGS") or tempfile.mkdtemp(prefix="dfrs-live-")) / module
        cls.cluster = Cluster(base / f"cluster-{cls.__name__.lower()}", cls.make_options())
        cls.cluster.down()
        cls.cluster.options = cls.make_options()
        cls.cluster.up()
        cls.jobs_folder = cls.cluster.folder / "jobs"
        shutil.rmtree(cls.jobs_folder, ignore_errors=True)
        cls.jobs_folder.mkdir()
        cls.jobs_folder.chmod(0o1777)

    @classmethod
    def tearDownClass(cls):
        cls.cluster.down()

    def setUp(self):
        name = self.id().rpartition(".")[2]
        self.folder = self.jobs_folder / name
        shutil.rmtree(self.folder, ignore_errors=True)  # of an earlier run, whose job numbers were the same
        self.folder.mkdir()
        self.folder.chmod(0o1777)

    def tearDown(self):
        self.end_all_jobs()

    def end_all_jobs(self):
        """Cancels what is left, and waits until nodes are free again."""
        cluster = self.cluster
        if not cluster.process("slurmctld"):
            cluster.start_slurmctld()
        active = self.active_jobs()
        if active:
            cluster.command("scancel", *active, check=False)
        # A job that is cancelled just as its step begins may miss that. Slurm repeats it after about a minute.
        wait_for("all jobs to be gone after scancel", lambda: not self.active_jobs(), 100, interval=0.05)

    @classmethod
    def sacctmgr(cls, *words):
        """Changes the accounting of a cluster that has it (Options.accounting)."""
        return cls.cluster.command("sacctmgr", "-i", *words).stdout

    @classmethod
    def restart_slurmctld(cls):
        cls.cluster.stop("slurmctld")
        cls.cluster.start_slurmctld()
        cls.cluster.wait_nodes()

    def active_jobs(self):
        return self.cluster.command("squeue", "-h", "-t", "PD,R,S,CG,CF", "-o", "%A").stdout.split()

    # ---- jobs ----

    def sbatch(self, *options, script=None, tasks=1, cpus=4, memory=64, user=None, check=True):
        """A job of `tasks` tasks with `cpus` CPUs and `memory` MiB each."""
        return jobs.submit(self.cluster, f"--ntasks={tasks}", f"--cpus-per-task={cpus}",
                           f"--mem-per-cpu={max(1, memory // cpus)}", *options, script=script, user=user,
                           cwd=self.folder, check=check)

    def sbatch_burn(self, work, *options, tasks=1, cpus=4, memory=64, hold=0, checkpoint=False, step=False, more="",
                    **keywords):
        """A job each of whose tasks uses `work` seconds of CPU time and holds `hold` MiB; see results()."""
        step = step or tasks > 1
        burn = f"{jobs.burn()} --work {work} --memory {hold} --result {self.folder}/$SLURM_JOB_ID.json {more}"
        options = (f"--output={self.folder}/%j.out", "--open-mode=append", *options)  # assert_completed() shows it
        if checkpoint:
            burn += f" --checkpoint {self.folder}/$SLURM_JOB_ID.checkpoint"
            options = ("--comment=dfrs:checkpoint", *options)
        # Since 22.05 srun does not take the tasks' CPUs from its job.
        start = f"srun --cpus-per-task={cpus} " if step else ""
        return self.sbatch(*options, script=f"exec {start}{burn}", tasks=tasks, cpus=cpus, memory=memory, **keywords)

    def results(self, job, event=None):
        lines = jobs.lines_of(self.folder / f"{job}.json")
        return [line for line in lines if event is None or line["event"] == event]

    def wait_event(self, job, event="start", count=1, seconds=20.0):
        return wait_for(f"job {job} to say '{event}' {count} times",
                        lambda: len(self.results(job, event)) >= count and self.results(job, event), seconds, longest=0)

    def wait_state(self, job, states, seconds=20.0):
        return jobs.wait_state(self.cluster, job, states, seconds)

    def wait_ended(self, numbers, seconds=60.0):
        return jobs.wait_ended(self.cluster, numbers, seconds)

    def assert_done(self, job, work, tasks=1, restarts=0):
        """Every task did its work once and found its memory unchanged. (A run that is requeued just as it ends reports
        its end, and so does the next one, which finds nothing left to do.)"""
        last = {line["task"]: line for line in self.results(job, "end")}
        ends = list(last.values())
        self.assertEqual(sorted(line["task"] for line in ends), list(range(tasks)), f"job {job}: {self.results(job)}")
        for line in ends:
            self.assertGreaterEqual(line["cpu"], work, line)
            self.assertLess(line["cpu"], jobs.cpu_limit(work, restarts), line)
            self.assertTrue(line["memory_ok"], line)

    def assert_completed(self, ended):
        def output(job):
            path = self.folder / f"{job}.out"
            return path.read_text(errors="replace")[-800:] if path.exists() else ""
        bad = {job: f"{fields['JobState']} {fields.get('Reason')} exit {fields.get('ExitCode')}: {output(job)}"
               for job, fields in ended.items() if fields["JobState"] != "COMPLETED"}
        self.assertEqual(bad, {})

    def assert_nodes_free(self):
        """By Slurm's own accounting, nothing on the nodes is allocated."""
        def used():
            result = self.cluster.command("scontrol", "-o", "show", "node")
            nodes = [jobs.parse(line) for line in result.stdout.splitlines() if line.startswith("NodeName=")]
            self.assertEqual(len(nodes), self.cluster.options.nodes)
            return {node["NodeName"]: (node["CPUAlloc"], node["AllocMem"], node.get("AllocTRES"))
                    for node in nodes if node["CPUAlloc"] != "0" or node["AllocMem"] != "0" or node.get("AllocTRES")}
        try:
            wait_for("nodes to be free", lambda: not used(), 10)
        except Exception:
            self.assertEqual(used(), {})

    def assert_no_groups(self):
        """No control group of a job is left on any node."""
        def none():
            # Twice: reading a folder of groups can pass over one while its neighbour is being removed.
            tree = self.cluster.cgroup_tree
            return not cgroups.groups_of_jobs(tree) and not time.sleep(0.05) and not cgroups.groups_of_jobs(tree)
        try:
            wait_for("", none, 10)
        except ClusterError:
            self.assertEqual([str(path) for path in cgroups.groups_of_jobs(self.cluster.cgroup_tree)], [], "groups left over")

    # ---- dfrs ----

    def dfrsctl(self, *words):
        return json.loads(self.cluster.command("dfrsctl", *words, "--json").stdout)

    def dfrs_jobs(self):
        """job number -> its line of `dfrsctl status`."""
        return {job["job"]: job for job in self.dfrsctl("status")["jobs"]}

    def dfrs_nodes(self):
        return {node["node"]: node for node in self.dfrsctl("nodes")["nodes"]}


class SlowSaves:
    """Before a LiveTest: each save of slurmctld's state takes half a second, so that what can happen between the start of
    a job and the end of its save does happen, and rounds of scheduling are seconds apart."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cluster.stop("slurmctld")
        cls.cluster.preload = str(build_folder() / "tests/live/slow_fsync.so")
        cls.cluster.start_slurmctld()
        cls.cluster.wait_nodes()
