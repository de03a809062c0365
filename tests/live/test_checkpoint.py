# SPDX-License-Identifier: GPL-2.0-or-later
"""PauseBy=checkpoint with a real CRIU: programs that know nothing of checkpoints are paused and moved, and lose no work."""
import re
import shutil
import subprocess
import tempfile
import unittest

from . import jobs
from .cluster import build_folder
from .options import Options
from .test_pausing import PausingTest
from .waiting import wait_for

MEMORY = 1000  # of a node


def why_not():
    """Why CRIU cannot work here; None: it can."""
    criu = shutil.which("criu")
    if criu is None:
        return "CRIU is not installed (criu)"
    version = re.search(r"Version: (\d+)", subprocess.run([criu, "--version"], capture_output=True, text=True, check=False).stdout)
    if version is None or int(version[1]) < 4:
        return "CRIU is older than 4.0"
    checked = subprocess.run([criu, "check"], capture_output=True, text=True, check=False)
    return None if checked.returncode == 0 else f"criu check: {checked.stderr.strip().splitlines()[-1:]}"


class Checkpoints(PausingTest):
    PROGRESS = 2.2
    options = Options(nodes=2, cpus=4, memory=MEMORY, cores=0.8, algorithm="GreedyP*/OPT=MIN", credential_seconds=8,
                      slurm={"JobFileAppend": "1"},
                      settings={"PauseBy": "checkpoint", "MinProgress": "1", "CommentInterval": "1"})

    @classmethod
    def setUpClass(cls):
        if reason := why_not():
            raise unittest.SkipTest(reason)
        cls.images = tempfile.mkdtemp(prefix="dfrs-images-")
        super().setUpClass()

    @classmethod
    def make_options(cls):
        options = super().make_options()
        options.settings["CheckpointFolder"] = cls.images
        return options

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        shutil.rmtree(cls.images, ignore_errors=True)

    def burn_under_dfrs_run(self, work, *options, hold=100, mark="dfrs:criu"):
        """A job that has no checkpoint of its own, under dfrs-run."""
        run = f"{build_folder()}/dfrs-run --run-dir {self.cluster.folder}/run/%n"
        burn = f"{jobs.burn()} --work {work} --memory {hold} --result {self.folder}/$SLURM_JOB_ID.json"
        return self.sbatch(f"--comment={mark}", *options, script=f"exec {run} {burn}", memory=900)

    def paused(self, numbers):
        """Those that wait again after a run."""
        def again():
            shown = jobs.show_all(self.cluster)
            return [job for job in numbers if shown[job]["JobState"] == "PENDING" and int(shown[job]["Restarts"]) > 0]
        return wait_for(f"one of {numbers} to be paused", again, 60)

    def assert_went_on(self, job, work, ended):
        """One start and one end in its own words, whatever Slurm restarted; its work done once."""
        self.assertEqual(len(self.results(job, "start")), 1, self.results(job))
        self.assert_done(job, work)
        self.assertGreater(int(ended[job]["Restarts"]), 0)

    def test_a_paused_job_goes_on_where_it_was(self):
        work = 12.0
        first = [self.burn_under_dfrs_run(work, f"--nodelist={node}") for node in self.cluster.nodes]
        for job in first:
            self.wait_event(job)
        self.wait_progress(first)
        new = self.sbatch_burn(1.0, memory=900)
        (paused,) = self.paused(first)
        self.wait_event(new)
        ended = self.wait_ended([*first, new], 180)
        self.assert_completed(ended)
        self.assert_went_on(paused, work, ended)

    def test_what_cannot_be_dumped_stays_and_says_why(self):
        # A connection from the program to slurmctld's port.
        port = self.cluster.ports["slurmctld"]
        run = f"{build_folder()}/dfrs-run --run-dir {self.cluster.folder}/run/%n"
        script = f"exec {run} /bin/bash -c 'exec 5<>/dev/tcp/127.0.0.1/{port}; while sleep 1; do :; done'"
        job = self.sbatch("--comment=dfrs:criu", script=script, memory=900)
        wait_for("dfrsctl to say why it cannot be checkpointed",
                 lambda: re.search(rf"[Jj]ob {job} cannot be checkpointed: [^.]*TCP connection",
                                   self.cluster.command("dfrsctl", "explain", job).stdout), 30)
        self.cluster.command("scancel", job)
