# SPDX-License-Identifier: GPL-2.0-or-later
"""The test cluster itself: `./quickstart cluster up|status|down`."""
import contextlib
import io
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from . import cgroups, cli, jobs, processes
from .cluster import Cluster
from .waiting import wait_for

SECONDS = 15


class Commands(unittest.TestCase):
    def setUp(self):
        logs = os.environ.get("DFRS_LIVE_LOGS") or tempfile.mkdtemp(prefix="dfrs-live-")
        self.folder = Path(logs) / "cluster" / "cluster-commands"
        Cluster(self.folder).down()

    def tearDown(self):
        Cluster(self.folder).down()

    def run_cli(self, *words, folder=None):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                status = cli.main([str(word) for word in (*words, "--dir", folder or self.folder)])
            except SystemExit as end:
                status = end.code
        return status, out.getvalue(), err.getvalue()

    def up(self, *words):
        status, out, err = self.run_cli("up", "--nodes", 2, "--cores", 0.3, *words)
        self.assertEqual((status, err), (0, ""))
        return out

    def test_up_status_down(self):
        self.assertEqual(self.run_cli("status")[0], cli.EXIT_NOT_UP)
        self.assertIn("up: 2 nodes", self.up())
        self.assertIn("up already", self.up())
        status, out, _ = self.run_cli("status")
        self.assertEqual(status, 0)
        self.assertIn("6 of 6 daemons run", out)  # munged, slurmctld, two slurmd, two agents
        cluster = Cluster(self.folder)
        job = jobs.submit(cluster, "--cpus-per-task=4", script="setsid sleep 1000 & exec sleep 1000")
        jobs.wait_state(cluster, job, "RUNNING")
        self.assertIn(str(job), self.run_cli("status")[1])
        tasks = wait_for("the job's processes", lambda: len(self.sleeping()) == 2 and self.sleeping(), 5)
        tree = cluster.cgroup_tree
        self.assertTrue(cgroups.folders_of(tree))
        status, out, _ = self.run_cli("down")
        self.assertEqual((status, out.startswith("down;")), (0, True))
        self.assertEqual([process for process in tasks if process.alive()], [])
        self.assertEqual(processes.marked(self.folder), [])
        self.assertEqual(list(cgroups.MOUNTS.glob(f"*/{tree}")), [])
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["lock", "log"])
        self.assertIn("no cluster is up", self.run_cli("down")[1])

    def sleeping(self):
        found = []
        for process in processes.marked(self.folder):
            with contextlib.suppress(OSError):
                if Path(f"/proc/{process.pid}/comm").read_text(encoding="ascii").strip() == "sleep":
                    found.append(process)
        return found

    def test_environment_file_is_enough_for_a_user(self):
        self.up()
        cluster = Cluster(self.folder)
        result = cluster.command("/bin/sh", "-c", f". {self.folder}/env && sinfo -h -o %D && dfrsctl status",
                                 environment={"SLURM_CONF": "", "MUNGE_SOCKET": ""})
        self.assertEqual(result.stdout.split()[0], "2")

    def test_command_outlives_a_munged_that_hangs_up(self):
        result = Cluster(self.folder).command("/bin/sh", "-c", "kill -s PIPE $$; echo tries again")
        self.assertEqual(result.stdout, "tries again\n")

    def test_up_restarts_what_was_killed(self):
        self.up()
        cluster = Cluster(self.folder)
        begun = self.folder / "begun"
        self.addCleanup(begun.unlink, missing_ok=True)
        job = jobs.submit(cluster, "--cpus-per-task=4", script=f"touch {begun}\nexec sleep 1000")
        wait_for("the job to begin", begun.exists, 20)  # else the launch may be lost with its slurmd, and is then repeated
        killed = ["slurmctld", "slurmd.n1", "dfrsd.n2"]
        for name in killed:
            cluster.stop(name, signal.SIGKILL)
        status, out, _ = self.run_cli("status")
        self.assertEqual(status, 0)
        for name in killed:
            self.assertIn(name, out)
        self.up()
        self.assertEqual([name for name in cluster.daemons() if not cluster.process(name)], [])
        jobs.wait_state(cluster, job, "RUNNING")
        self.assertIn("Restarts=0", cluster.command("scontrol", "show", "job", job).stdout)

    def test_comparison_that_is_told_to_end_leaves_nothing(self):
        output = self.folder.parent / "compare-ended"
        program = subprocess.Popen([sys.executable, "-m", "live", "compare", "--short", "--output", output],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        found = wait_for("a node's daemon", lambda: [process for process in processes.marked(output / "cluster")
                                                     if any("slurmd" in word for word in processes.command_line(process.pid)[:1])], 60)
        program.terminate()
        self.assertEqual(program.wait(60), 128 + signal.SIGTERM)
        self.assertEqual([process for process in found if process.alive()], [])
        self.assertEqual(processes.marked(output / "cluster"), [])

    def test_down_ends_all_when_its_records_are_lost(self):
        self.up()
        found = processes.marked(self.folder)
        for path in [self.folder / "cluster.json", *(self.folder / "run").glob("*.json")]:
            path.unlink()
        self.assertEqual(self.run_cli("down")[0], 0)
        self.assertEqual([process for process in found if process.alive()], [])

    def test_other_options_are_refused_while_it_is_up(self):
        self.up()
        status, _, err = self.run_cli("up", "--nodes", 3)
        self.assertEqual(status, cli.EXIT_FAILED)
        self.assertIn("other options", err)
        self.assertIn("cluster down", err)

    def test_backfill_has_neither_plugins_nor_agents(self):
        self.up("--scheduler", "backfill")
        cluster = Cluster(self.folder)
        self.assertEqual(len(cluster.daemons()), 4)
        shown = cluster.command("scontrol", "show", "config").stdout
        self.assertRegex(shown, r"SchedulerType\s+= sched/backfill")
        job = jobs.submit(cluster, "--cpus-per-task=4", script="exit 0")
        self.assertEqual(jobs.wait_ended(cluster, [job], 20)[job]["JobState"], "COMPLETED")

    def test_folder_that_cannot_be_is_refused(self):
        for folder, words in ((self.folder / ("x" * 100), "--dir"), (self.folder / "a b", "--dir")):
            status, _, err = self.run_cli("up", folder=folder)
            self.assertEqual(status, cli.EXIT_FAILED)
            self.assertIn(words, err)

    def test_wrong_usage(self):
        for words in (("up", "--nodes", "0"), ("up", "--cores", "no"), ("up", "--set", "x"), ("sideways",)):
            self.assertEqual(self.run_cli(*words)[0], cli.EXIT_USAGE, words)

    def test_wrong_setting_is_told_at_once(self):
        status, _, err = self.run_cli("up", "--set", "Perriod=30")
        self.assertEqual(status, cli.EXIT_FAILED)
        self.assertIn("Perriod", err)
        self.assertEqual(processes.marked(self.folder), [])

    def test_daemon_that_does_not_start_is_named_with_its_log(self):
        self.up()
        cluster = Cluster(self.folder)
        cluster.stop("slurmctld")
        with open(self.folder / "etc/common.conf", "a", encoding="utf-8") as file:
            file.write("NoSuchKey=1\n")
        status, _, err = self.run_cli("up", "--nodes", 2, "--cores", 0.3)
        self.assertEqual(status, cli.EXIT_FAILED)
        self.assertIn("slurmctld ended as soon as it was started", err)
        self.assertIn("NoSuchKey", err)
