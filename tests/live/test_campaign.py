# SPDX-License-Identifier: GPL-2.0-or-later
"""A campaign of dfrs-sim as a job array, while a node dies: the results of one process, to the byte."""
import csv
import shutil
import signal
import sqlite3
import subprocess
from pathlib import Path

from . import jobs, processes
from .case import LiveTest
from .cluster import build_folder
from .options import Options
from .waiting import wait_for

SECONDS = 20
TASKS = 3
TRACES = 9  # under four algorithms: enough that a task is seen in the middle of its work


class Campaign(LiveTest):
    # ReturnToService: with 2, a late answer of the node that was killed brings it back, and jobs start there.
    options = Options(nodes=3, cpus=2, memory=2000, cores=0.6, settings={"CommentInterval": "1"}, credential_seconds=5,
                      slurm={"ReturnToService": "1"})

    def dfrs_sim(self, *words):
        return self.cluster.command("dfrs-sim", *words, cwd=self.folder)

    def kill_node(self, node):
        """Kills all processes of the node at once, and tells slurmctld, which would notice only after SlurmdTimeout."""
        conf = str(self.cluster.folder / "etc/slurm.conf")
        stepds, tasks = [], []
        for path in Path("/proc").glob("[0-9]*"):
            pid = int(path.name)
            environment = processes.environment_of(pid)
            if environment.get("SLURM_CONF") == conf and environment.get("SLURMD_NODENAME") == node:
                tasks.append(processes.identify(pid))
            elif processes.is_stepd_of(pid, self.cluster.folder) and self._has_child_on(pid, node):
                stepds.append(processes.identify(pid))
        # First those that would report the end of the others.
        victims = [process for process in (self.cluster.process(f"slurmd.{node}"), *stepds, *tasks) if process]
        for process in victims:
            processes.send(process, signal.SIGKILL)
        self.assertEqual(processes.wait_gone(victims, 5), [])
        self.cluster.command("scontrol", "update", f"NodeName={node}", "State=DOWN", "Reason=dead")
        return len(victims)

    @staticmethod
    def _has_child_on(pid, node):
        try:
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
        except OSError:
            return False
        return any(processes.environment_of(int(child)).get("SLURMD_NODENAME") == node for child in children)

    def times_in(self, store):
        """(instance, algorithm) -> CPU seconds, of a store that another process has: of a copy as it is now."""
        copy = self.folder / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        copy.mkdir()
        for suffix in ("", "-wal"):
            if Path(f"{store}{suffix}").exists():
                shutil.copy(f"{store}{suffix}", copy / f"db{suffix}")
        if not (copy / "db").exists():
            return {}
        try:
            with sqlite3.connect(copy / "db") as database:
                return {row[:2]: row[2] for row in
                        database.execute("SELECT instance, algorithm, cpu_seconds FROM results")}
        except sqlite3.Error:
            return {}  # copied in the middle of a change

    def test_results_are_those_of_one_process_though_a_node_dies(self):
        self.dfrs_sim("generate", "--count", str(TRACES), "--jobs", "700", "--nodes", "32", "--load", "0.9", "-o", "traces")
        compare = ["compare", *(f"traces/lublin-{seed}-load-0.9.dfrs" for seed in range(1, TRACES + 1)),
                   "-a", "EASY,GreedyPM*/per/MINVT=600,MCB8*/per,/stretch-per/OPT=MAX"]
        alone = self.dfrs_sim(*compare, "-o", "alone.csv", "--report", "alone.html").stdout

        words = [build_folder() / "dfrs-sim", *compare, "--slurm", "campaign", "--tasks", TASKS, "-o", "there.csv",
                 "--report", "there.html", "--sbatch=--mem=300"]
        with subprocess.Popen([str(word) for word in words], cwd=self.folder, env=self.cluster.environment(),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              universal_newlines=True) as campaign:
            self.addCleanup(campaign.kill)
            run = self.folder / "campaign/run-1"

            def in_the_middle():
                if campaign.poll() is not None:
                    self.fail(f"the campaign is over (exit {campaign.returncode}): {campaign.stderr.read()}")
                for fields in jobs.show_all(self.cluster).values():
                    task = fields.get("ArrayTaskId", "")
                    if fields["JobState"] == "RUNNING" and task.isdigit():
                        if 2 <= len(self.times_in(run / f"part-{task}.db")) <= 4 * TRACES // TASKS - 3:
                            return int(fields["JobId"]), task, fields["NodeList"]
                return None
            job, task, node = wait_for("a task to have some of its results", in_the_middle, 30)
            self.assertGreaterEqual(self.kill_node(node), 2)
            done = self.times_in(run / f"part-{task}.db")
            self.assertGreaterEqual(len(done), 2)
            self.assertLess(len(done), 4 * TRACES // TASKS, "nothing was left to do when the node died")
            self.wait_state(job, ("PENDING", "RUNNING", "COMPLETED"))
            out, err = campaign.communicate(timeout=60)
        self.assertEqual(campaign.returncode, 0, err)
        self.assertEqual(out, alone)
        for name in ("csv", "html"):
            self.assertEqual((self.folder / f"there.{name}").read_bytes(), (self.folder / f"alone.{name}").read_bytes())
        # Slurm itself has run the task again, which continued from its store; nothing was submitted a second time.
        self.assertEqual(jobs.show(self.cluster, job)["Restarts"], "1")
        self.assertFalse((self.folder / "campaign/run-2").exists(), err)
        self.dfrs_sim(*compare, "--slurm", "campaign", "--no-submit", "--times", "-o", "times.csv")
        with open(self.folder / "times.csv", encoding="utf-8", newline="") as file:
            times = {(row["instance"], row["algorithm"]): float(row["cpu_seconds"]) for row in csv.DictReader(file)}
        self.assertEqual({key: times[key] for key in done}, done, "finished simulations were done again")
        self.cluster.start_slurmd(node)
        self.cluster.command("scontrol", "update", f"NodeName={node}", "State=RESUME")
        self.cluster.wait_nodes()
